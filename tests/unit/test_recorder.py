"""The flight recorder: the last frames without a payload, written once after a failure."""

from __future__ import annotations

from pathlib import Path

from driver.recorder import FRAMES_KEPT, Recorded, Recorder
from protocol.codec import encode
from protocol.codes import AnomalyMode, Confirmation, Routing
from protocol.framing import Frame, encode_frame
from protocol.messages import Arm

PLAN = bytes(range(13))
FRAME = encode(
    Arm(77, b"12345678", 9, Routing.BY_IDENTITY, AnomalyMode.STOP, False, Confirmation(0), 255, 0, 3, PLAN),
    connection=5,
    number=4,
)


def test_a_line_shows_when_which_way_and_what_kind_but_no_payload_and_no_checksum(tmp_path: Path) -> None:
    recorder = Recorder()
    recorder.note(1.25, FRAME, outward=True)

    (line,) = recorder.dump_once(tmp_path / "last.txt")

    assert line.split() == ["1.250", ">", "REQUEST", "type", "3", "number", "4", "41", "bytes"]
    written = (tmp_path / "last.txt").read_bytes()
    assert PLAN not in written
    assert PLAN.hex().encode() not in written
    assert encode_frame(FRAME)[-5:-1].hex().encode() not in written


def test_only_the_first_failure_is_written_and_only_if_there_was_traffic(tmp_path: Path) -> None:
    path = tmp_path / "last.txt"
    recorder = Recorder()
    assert recorder.dump_once(path) == []
    assert not path.exists()
    recorder.note(1.0, FRAME, outward=True)
    assert recorder.dump_once(path)
    recorder.note(2.0, FRAME, outward=False)
    assert recorder.dump_once(path) == []
    assert path.read_text(encoding="ascii").count("\n") == 1


def test_the_last_frames_are_kept_and_a_listener_gets_each_as_it_comes(tmp_path: Path) -> None:
    heard: list[Recorded] = []
    recorder = Recorder(heard.append)
    for number in range(FRAMES_KEPT + 10):
        recorder.note(0.0, Frame(FRAME.kind, 2, 5, number, b""), outward=False)

    lines = recorder.dump_once(tmp_path / "last.txt")

    assert len(heard) == FRAMES_KEPT + 10
    assert len(lines) == FRAMES_KEPT
    assert "number 10 " in lines[0]
