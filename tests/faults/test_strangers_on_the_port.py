"""Something else than a dealing machine is on the port: one clear sentence, nothing moves, no traceback, nothing left.

Read next: `tests/support/strangers.py`; `driver/conversation.py`, which says what is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from driver.cli.exit_codes import Exit
from driver.controls import Controls
from driver.errors import AnswerTimeout, ConnectionFailed, NotAMachine, UnexpectedAnswer
from driver.machine import open_machine
from driver.recorder import Recorder
from firmware_sim.core import SimMachine
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.endpoints.served import ServedEndpoint
from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.faults import FaultPlan
from firmware_sim.line import Line
from protocol.codec import decode, encode
from protocol.codes import Kind, Refusal, State
from protocol.errors import DealingMachineError, UnsupportedVersion
from protocol.framing import FrameDecoder, encode_frame
from protocol.messages import Hello, Log, Pausing, Refused, Stopped
from tests.cli.program import CLUB, dealctl
from tests.support.memory import ManualClock, MemoryTransport
from tests.support.peers import Setup, memory_peer
from tests.support.strangers import (
    STRANGERS,
    Stranger,
    acknowledgement,
    banner_and_old_frames,
    echo,
    modem_with_echo,
    silence,
)
from tests.support.wire_host import WireHost

SENTENCE: Final = re.compile(r"[A-Z][^\n]*[.]|[a-z]+:[^\n]*[.]")
PLAIN: Final = re.compile(r"[\x20-\x7e�]*")


def failure_at(stranger: Stranger, folder: Path) -> tuple[DealingMachineError, float]:
    """What opening says of that stranger, and after how many seconds."""
    endpoint = MemoryEndpoint(stranger)
    with pytest.raises(DealingMachineError) as caught:
        open_machine(transport=lambda: MemoryTransport(endpoint), clock=ManualClock(endpoint), data=folder)
    return caught.value, endpoint.now


def check_told_well(failure: DealingMachineError) -> None:
    """One sentence, something to do with the hands, and no words of the program's inside."""
    assert SENTENCE.fullmatch(str(failure)), str(failure)
    assert failure.hint
    for word in ("frame", "handshake", "nonce", "HELLO", "Error", "\\x"):
        assert word not in f"{failure} {failure.hint}"


@pytest.mark.parametrize("make", STRANGERS)
def test_a_stranger_gets_one_sentence_after_three_seconds_and_was_only_greeted(
    make: Callable[[], Stranger], tmp_path: Path
) -> None:
    stranger = make()
    failure, seconds = failure_at(stranger, tmp_path)

    assert isinstance(failure, NotAMachine)
    check_told_well(failure)
    assert seconds == pytest.approx(3.0, abs=0.05)
    assert len(stranger.heard) in (10, 11)
    assert {frame.kind for frame in stranger.heard} == {Kind.HELLO}


def test_the_sentence_tells_silence_an_echo_and_talk_apart(tmp_path: Path) -> None:
    quiet, _ = failure_at(silence(), tmp_path)
    repeats, _ = failure_at(echo(), tmp_path)
    repeats_too, _ = failure_at(modem_with_echo(), tmp_path)
    talks, _ = failure_at(banner_and_old_frames(), tmp_path)

    assert str(quiet) == "Nothing answers at memory:."
    assert "sends back what this program says" in str(repeats)
    assert str(repeats_too) == str(repeats)
    assert "does not answer as a dealing machine does" in str(talks)


def test_after_a_stranger_the_journal_is_free_and_has_nothing_in_it(tmp_path: Path) -> None:
    failure_at(silence(), tmp_path)
    peer = memory_peer(tmp_path, Setup())
    with peer.open() as machine:
        assert machine.journal.open_run(machine.info.serial) is None


def nonce_in(data: bytes) -> int | None:
    """The nonce of the HELLO in these bytes."""
    for frame in FrameDecoder().feed(data):
        if frame.kind is Kind.HELLO and isinstance(hello := decode(frame), Hello):
            return hello.nonce
    return None


def greets_and_then(answers: Callable[[bytes], bytes]) -> Stranger:
    """Something that answers HELLO as a machine does, and what follows as `answers` says."""

    def answer(data: bytes) -> bytes:
        nonce = nonce_in(data)
        return answers(data) if nonce is None else acknowledgement(nonce)

    return Stranger(answers=answer)


def test_something_that_greets_and_then_keeps_silent_is_given_up_after_five_seconds(tmp_path: Path) -> None:
    stranger = greets_and_then(lambda data: b"")
    failure, seconds = failure_at(stranger, tmp_path)

    assert isinstance(failure, AnswerTimeout)
    assert not failure.outcome_known
    check_told_well(failure)
    assert seconds == pytest.approx(5.0, abs=0.05)


def wrong_answer(data: bytes) -> bytes:
    return b"".join(
        encode_frame(encode(Pausing(State.NONE, 0), connection=frame.connection, number=frame.number))
        for frame in FrameDecoder().feed(data)
        if frame.kind is Kind.REQUEST
    )


def test_something_that_greets_and_then_answers_another_question_is_refused_at_once(tmp_path: Path) -> None:
    failure, seconds = failure_at(greets_and_then(wrong_answer), tmp_path)

    assert isinstance(failure, UnexpectedAnswer)
    check_told_well(failure)
    assert seconds < 0.1


def test_something_that_greets_and_then_refuses_everything_is_refused_at_once(tmp_path: Path) -> None:
    def refuse(data: bytes) -> bytes:
        return b"".join(
            encode_frame(
                encode(Refused(frame.type, Refusal.NOT_SUPPORTED), connection=frame.connection, number=frame.number)
            )
            for frame in FrameDecoder().feed(data)
            if frame.kind is Kind.REQUEST
        )

    failure, seconds = failure_at(greets_and_then(refuse), tmp_path)

    assert isinstance(failure, ConnectionFailed)
    check_told_well(failure)
    assert seconds < 0.1


@pytest.mark.parametrize(
    ("majors", "side"), [((2, 3), "program"), ((9, 9), "program"), ((0, 0), "machine")], ids=["next", "far", "old"]
)
def test_a_machine_of_another_major_version_says_which_side_to_update_and_is_asked_nothing(
    majors: tuple[int, int], side: str, tmp_path: Path
) -> None:
    def acknowledge(data: bytes) -> bytes:
        nonce = nonce_in(data)
        return b"" if nonce is None else acknowledgement(nonce, connection=0, major=0, majors=majors)

    stranger = Stranger(answers=acknowledge)
    failure, seconds = failure_at(stranger, tmp_path)

    assert isinstance(failure, UnsupportedVersion)
    assert (failure.ours, failure.theirs, failure.update_side) == ((1, 1), majors, side)
    assert f"Update the {side}" in failure.hint
    check_told_well(failure)
    assert seconds < 0.1
    assert [frame.kind for frame in stranger.heard] == [Kind.HELLO]


def test_stop_works_on_a_machine_of_another_major_version(tmp_path: Path) -> None:
    def answer(data: bytes) -> bytes:
        (frame,) = FrameDecoder().feed(data)
        if frame.kind is Kind.HELLO:
            return acknowledgement(nonce_in(data) or 0, connection=0, major=0, majors=(2, 2))
        return encode_frame(encode(Stopped(0, State.NONE, 0, 7, 0), number=frame.number))

    stranger = Stranger(answers=answer)
    endpoint = MemoryEndpoint(stranger)
    controls = Controls(lambda: MemoryTransport(endpoint), ManualClock(endpoint), Recorder())
    with pytest.raises(UnsupportedVersion):
        controls.connect()
    stopped = controls.stop()
    controls.close()

    assert stopped.odometer == 7
    assert [frame.kind for frame in stranger.heard] == [Kind.HELLO, Kind.STOP]


def test_a_line_so_bad_that_no_answer_comes_whole_is_not_called_a_stranger(tmp_path: Path) -> None:
    endpoint = MemoryEndpoint(SimMachine(), line=Line(1, flip=(0.0, 1.0)))
    with pytest.raises(NotAMachine) as caught:
        open_machine(transport=lambda: MemoryTransport(endpoint), clock=ManualClock(endpoint), data=tmp_path)

    assert str(caught.value) == "What talks at memory: does not answer as a dealing machine does."
    assert "check cable and speed" in caught.value.hint


def test_hostile_text_in_names_and_log_lines_comes_out_clean(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup(faults=FaultPlan.parse("hostile-text")))
    lines: list[str] = []
    with peer.open(Recorder(lambda line: lines.append(str(line)))) as machine:
        info = machine.info
    host = WireHost(peer.transport(), peer.clock())
    host.connect()
    said = [log.text for frame in host.frames if isinstance(log := decode(frame), Log)]

    assert said
    for text in (info.model, info.firmware, *said, *lines):
        assert PLAIN.fullmatch(text), repr(text)
    assert "[2J" in info.model, "the text is cleaned, not thrown away"


def told_by_program(stranger: Stranger, endpoint: type[ServedEndpoint]) -> tuple[int, str, str]:
    """What `dealctl deal` prints when such a thing is behind a real port: exit code and both outputs."""
    with endpoint(stranger) as served:
        ran = dealctl("deal", CLUB, "--boards", "1", "--auto", "--machine", served.url)
    return ran.code, ran.out, ran.err


def test_the_program_says_so_in_two_lines_on_a_serial_port_with_a_loop_back_plug(tmp_path: Path) -> None:
    pty = pytest.importorskip("firmware_sim.endpoints.pty", reason="this system has no pseudo-terminals")
    stranger = echo()
    code, out, err = told_by_program(stranger, pty.PtyEndpoint)

    assert code == Exit.NO_MACHINE, err
    assert "only sends back what this program says" in err
    assert "Traceback" not in out + err
    assert {frame.kind for frame in stranger.heard} == {Kind.HELLO}


def test_the_program_says_so_in_two_lines_where_another_device_tells_old_news(tmp_path: Path) -> None:
    stranger = banner_and_old_frames()
    code, out, err = told_by_program(stranger, TcpEndpoint)

    assert code == Exit.NO_MACHINE, err
    assert "does not answer as a dealing machine does" in err
    assert "Traceback" not in out + err
    assert {frame.kind for frame in stranger.heard} == {Kind.HELLO}


def test_a_real_machine_is_none_of_these(tmp_path: Path) -> None:
    endpoint = MemoryEndpoint(SimMachine())
    with open_machine(
        transport=lambda: MemoryTransport(endpoint), clock=ManualClock(endpoint), data=tmp_path
    ) as machine:
        assert machine.info.serial == "SIM-0001"
