"""The endpoints: one manual clock in memory, and real ports that are cut, come back under a new name and end cleanly.

Read next: `firmware_sim/endpoints/base.py`, `test_sim_line.py`.
The device behind them here is a parrot: it says everything again, a while later.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

import pytest

from firmware_sim.core import SimMachine
from firmware_sim.endpoints.base import EndpointCut
from firmware_sim.endpoints.called import FIFO, CalledEndpoint
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.endpoints.rig import FULL
from firmware_sim.endpoints.served import ServedEndpoint
from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.line import Cut, Direction, Freeze, Line, LineFault, OneShot
from protocol.codec import decode, encode
from protocol.codes import Key, Kind
from protocol.framing import Frame, FrameDecoder, encode_frame
from protocol.messages import Hello, HelloAck, Identify

needs_pty = pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
PATIENCE = 30.0
"""Seconds after which a test of a real port gives up."""


def frame(number: int, kind: Kind = Kind.ANSWER) -> bytes:
    return encode_frame(Frame(kind, 0, 0, number, bytes(40)))


class Parrot:
    """Sends each piece of bytes back `after` seconds; keeps what it heard and when."""

    def __init__(self, after: float = 0.0) -> None:
        self.now = 0.0
        self.after = after
        self.heard: list[tuple[float, bytes]] = []
        self._said = 0
        self._extra: list[tuple[float, bytes]] = []

    def receive(self, data: bytes) -> None:
        self.heard.append((self.now, data))

    def say(self, data: bytes) -> None:
        self._extra.append((self.now, data))

    def advance_to(self, time: float) -> None:
        assert time >= self.now
        self.now = time

    def next_due(self) -> float | None:
        return self.heard[self._said][0] + self.after if self._said < len(self.heard) else None

    def take_output(self) -> list[tuple[float, bytes]]:
        said, self._extra = self._extra, []
        while self._said < len(self.heard) and self.heard[self._said][0] + self.after <= self.now:
            at, data = self.heard[self._said]
            said.append((at + self.after, data))
            self._said += 1
        return said


class Alarm:
    """A person who notes every step and wants to be stepped at given times."""

    def __init__(self, *times: float) -> None:
        self.times = list(times)
        self.steps: list[float] = []

    def next_act(self, now: float) -> float | None:
        return self.times[0] if self.times else None

    def step(self, now: float) -> None:
        self.steps.append(now)
        while self.times and self.times[0] <= now:
            self.times.pop(0)


def test_reading_jumps_to_the_moment_at_which_bytes_arrive() -> None:
    endpoint = MemoryEndpoint(Parrot(after=0.25))
    endpoint.write(b"hello")

    assert endpoint.read(0.0) == b""
    assert endpoint.now == 0.0
    assert endpoint.read(5.0) == b"hello"
    assert endpoint.now == endpoint.monotonic() == 0.25


def test_reading_in_vain_takes_exactly_the_timeout() -> None:
    endpoint = MemoryEndpoint(Parrot())

    assert endpoint.read(1.5) == b""
    assert endpoint.now == 1.5


def test_what_has_arrived_is_read_without_time_passing() -> None:
    endpoint = MemoryEndpoint(Parrot())
    endpoint.write(b"a")
    endpoint.write(b"b")

    assert endpoint.read(5.0) == b"ab"
    assert endpoint.now == 0.0


def test_with_a_baud_rate_both_directions_take_their_time() -> None:
    parrot = Parrot()
    endpoint = MemoryEndpoint(parrot, baud=9_600)
    endpoint.write(bytes(96))

    assert endpoint.read(5.0) == bytes(96)
    assert parrot.heard[0][0] == pytest.approx(0.1)
    assert endpoint.now == pytest.approx(0.2)


def test_a_line_brings_its_faults_to_the_endpoint() -> None:
    line = Line(freeze=(Freeze(0.0, 2.0),), rules=(OneShot(LineFault.DUPLICATE, Direction.TO_HOST, 1),))
    endpoint = MemoryEndpoint(Parrot(), line=line)
    endpoint.write(b"hello")

    assert endpoint.read(9.0) == b"hellohello"
    assert endpoint.now == 2.0


def test_the_person_is_stepped_when_due_and_after_everything_that_happens() -> None:
    person = Alarm(0.1, 0.4)
    endpoint = MemoryEndpoint(Parrot(after=0.25), person=person)
    endpoint.write(b"hello")

    assert endpoint.read(5.0) == b"hello"
    assert person.steps == [0.1, 0.25]
    endpoint.pass_time(1.0)
    assert person.steps == [0.1, 0.25, 0.4, 1.25]


def test_something_that_is_due_for_ever_is_an_error_and_no_endless_loop() -> None:
    class Stuck(Parrot):
        def next_due(self) -> float | None:
            return 0.0

    with pytest.raises(RuntimeError, match="due for ever"):
        MemoryEndpoint(Stuck()).read(1.0)


def test_the_hook_before_a_wait_hears_the_deadline() -> None:
    endpoint = MemoryEndpoint(Parrot())
    deadlines: list[float] = []
    endpoint.before_wait = deadlines.append
    endpoint.read(0.0)
    endpoint.read(2.0)
    endpoint.read(3.0)

    assert deadlines == [2.0, 5.0]


def test_a_cut_line_raises_until_it_is_back_and_loses_what_was_under_way() -> None:
    parrot = Parrot(after=1.0)
    endpoint = MemoryEndpoint(parrot)
    endpoint.write(b"lost")
    endpoint.cut()

    assert endpoint.is_cut
    with pytest.raises(EndpointCut):
        endpoint.write(b"x")
    with pytest.raises(EndpointCut):
        endpoint.read(1.0)
    endpoint.pass_time(2.0)
    assert parrot.now == 2.0
    assert endpoint.reconnect() == endpoint.url == "memory:"
    assert endpoint.read(1.0) == b""
    endpoint.write(b"again")
    assert endpoint.read(2.0) == b"again"


def test_a_planned_cut_ends_the_wait_and_lasts_as_long_as_planned() -> None:
    endpoint = MemoryEndpoint(Parrot(), line=Line(cut=(Cut(1.0, back_after=2.0),)))

    with pytest.raises(EndpointCut):
        endpoint.read(5.0)
    assert endpoint.now == 1.0
    with pytest.raises(EndpointCut, match="still out"):
        endpoint.reconnect()
    endpoint.pass_time(2.0)
    endpoint.reconnect()
    assert not endpoint.is_cut


def test_a_closed_endpoint_stays_closed() -> None:
    endpoint = MemoryEndpoint(Parrot())
    endpoint.close()
    endpoint.close()

    for use in (lambda: endpoint.read(0.0), lambda: endpoint.write(b""), endpoint.reconnect):
        with pytest.raises(EndpointCut):
            use()


def test_a_full_line_drops_whole_ticks_logs_and_events_but_never_answers() -> None:
    parrot = Parrot()
    endpoint = MemoryEndpoint(parrot)
    for number in range(1, 401):
        for kind in (Kind.EVENT, Kind.TICK, Kind.LOG, Kind.ANSWER):
            parrot.say(frame(number, kind))
    endpoint.pass_time(1.0)

    decoder = FrameDecoder()
    got = decoder.feed(endpoint.read(0.0))
    assert decoder.bad_frames == 0
    assert [one.number for one in got if one.kind is Kind.ANSWER] == list(range(1, 401))
    for kind in (Kind.EVENT, Kind.TICK, Kind.LOG):
        kept = [one.number for one in got if one.kind is kind]
        assert kept == list(range(1, len(kept) + 1))
        assert 0 < len(kept) < FULL // len(frame(1))
    assert endpoint.rig.dropped_out == 1_600 - len(got)


def test_the_machine_counts_what_a_full_line_made_it_drop() -> None:
    machine = SimMachine()
    endpoint = MemoryEndpoint(machine)
    endpoint.write(encode_frame(encode(Hello(7, 1, 1))))
    (answer,) = FrameDecoder().feed(endpoint.read(1.0))
    ack = decode(answer)
    assert isinstance(ack, HelloAck)
    endpoint.write(encode_frame(encode(Identify(), connection=ack.connection, number=1)))
    for _ in range(1_000):
        machine.mechanism.press(Key.START)
        endpoint.pass_time(0.0)

    assert machine.counts.dropped_out == endpoint.rig.dropped_out > 0


# Real ports


class Host:
    """What a host program does with a url, with plain system calls."""

    def __init__(self, url: str) -> None:
        scheme, _, where = url.partition(":")
        self._socket: socket.socket | None = None
        if scheme == "tcp":
            address, _, port = where.rpartition(":")
            self._socket = socket.create_connection((address, int(port)), timeout=PATIENCE)
            self._descriptor = self._socket.fileno()
        else:
            self._descriptor = os.open(where, os.O_RDWR | os.O_NOCTTY)

    def write(self, data: bytes) -> None:
        if self._socket is not None:
            self._socket.sendall(data)
        else:
            assert os.write(self._descriptor, data) == len(data)

    def read(self) -> bytes:
        """Waits for bytes; b"" when the other side is gone."""
        try:
            return self._socket.recv(4096) if self._socket is not None else os.read(self._descriptor, 4096)
        except OSError:
            return b""

    def read_exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self.read()
            assert piece, "the line ended"
            data += piece
        return data

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        else:
            os.close(self._descriptor)


@contextmanager
def host_of(url: str) -> Iterator[Host]:
    host = Host(url)
    try:
        yield host
    finally:
        host.close()


def test_more_than_waits_for_a_caller_at_once_arrives_whole_and_in_order() -> None:
    parrot = Parrot()
    sent = [frame(number) for number in range(40)]
    with CalledEndpoint(parrot) as endpoint:
        for one in sent:
            endpoint.write(one)
        got, end = b"", monotonic() + PATIENCE
        while len(got) < len(b"".join(sent)) and monotonic() < end:
            piece = endpoint.read(1.0)
            assert len(piece) <= FIFO
            got += piece
        assert endpoint.read(0.0) == b""

    assert got == b"".join(sent)


def test_a_caller_that_waits_is_told_of_a_cut_and_of_the_end() -> None:
    endpoint = CalledEndpoint(Parrot(), line=Line(cut=(Cut(0.02, back_after=0.02),)))
    with pytest.raises(EndpointCut):
        endpoint.write(b"too early")
    first = endpoint.start()
    with pytest.raises(EndpointCut):
        endpoint.read(PATIENCE)
    assert endpoint.cuts == 1
    while endpoint.is_cut:
        with endpoint.at_machine():
            pass
    assert endpoint.reconnect() != first
    endpoint.close()
    with pytest.raises(EndpointCut):
        endpoint.read(0.0)
    with pytest.raises(EndpointCut):
        endpoint.write(b"too late")


def a_pty(*arguments: Parrot, **options: object) -> ServedEndpoint:
    from firmware_sim.endpoints.pty import PtyEndpoint

    return PtyEndpoint(*arguments, **options)  # type: ignore[arg-type]


def a_tcp(*arguments: Parrot, **options: object) -> ServedEndpoint:
    return TcpEndpoint(*arguments, **options)  # type: ignore[arg-type]


Make = Callable[..., ServedEndpoint]
both_ports = pytest.mark.parametrize("make", [pytest.param(a_pty, id="serial", marks=needs_pty), a_tcp])


@both_ports
def test_every_byte_passes_both_ways(make: Make) -> None:
    every = bytes(range(256))
    with make(Parrot()) as endpoint, host_of(endpoint.url) as host:
        host.write(every)

        assert host.read_exactly(256) == every


@both_ports
def test_bytes_are_paced_in_real_time(make: Make) -> None:
    with make(Parrot(), baud=9_600) as endpoint, host_of(endpoint.url) as host:
        started = monotonic()
        host.write(frame(1))
        host.read_exactly(len(frame(1)))

        assert monotonic() - started >= 2 * len(frame(1)) * 10 / 9_600 - 0.001


@both_ports
def test_a_cut_ends_the_port_and_the_cable_comes_back_under_a_new_name(make: Make) -> None:
    urls: list[str] = []
    with make(Parrot(), on_url=urls.append) as endpoint, ExitStack() as hosts:
        old = endpoint.url
        host = hosts.enter_context(host_of(old))
        host.write(b"\0x\0")
        assert host.read_exactly(3) == b"\0x\0"
        endpoint.cut()

        assert endpoint.is_cut
        assert host.read() == b""
        with pytest.raises(EndpointCut):
            print(endpoint.url)
        new = endpoint.reconnect()
        assert new != old
        assert urls == [new]
        other = hosts.enter_context(host_of(new))
        other.write(b"\0y\0")
        assert other.read_exactly(3) == b"\0y\0"


@both_ports
def test_a_planned_cut_comes_back_by_itself(make: Make) -> None:
    back = threading.Event()
    urls: list[str] = []

    def note(url: str) -> None:
        urls.append(url)
        back.set()

    line = Line(cut=(Cut(0.05, back_after=0.05),))
    with make(Parrot(), line=line, on_url=note) as endpoint:
        assert back.wait(PATIENCE)
        assert endpoint.url == urls[0]
        assert not endpoint.is_cut


@both_ports
def test_another_thread_acts_on_the_machine_through_one_lock_and_a_wake_up(make: Make) -> None:
    parrot = Parrot()
    with make(parrot) as endpoint, host_of(endpoint.url) as host:
        host.write(b"here")
        assert host.read_exactly(4) == b"here"
        with endpoint.at_machine() as rig:
            assert rig.machine is parrot
            parrot.say(b"news")

        assert host.read_exactly(4) == b"news"


@both_ports
def test_a_host_that_never_reads_does_not_stop_the_machine(make: Make) -> None:
    parrot = Parrot()
    with make(parrot) as endpoint, host_of(endpoint.url) as host:
        for number in range(20_000):
            with endpoint.at_machine() as rig:
                parrot.say(frame(number, Kind.EVENT))
                dropped = rig.dropped_out
            if dropped > 100:
                break
        if isinstance(endpoint, TcpEndpoint):
            return  # the system's own buffers may hold all of it
        assert dropped > 100
        decoder = FrameDecoder()
        got = decoder.feed(host.read_exactly(10 * len(frame(1, Kind.EVENT))))
        assert [one.number for one in got][:9] == list(range(9))
        assert decoder.bad_frames == 0


@both_ports
def test_closing_twice_and_closing_what_never_started_leaves_nothing(make: Make) -> None:
    before = threading.active_count()
    started = make(Parrot())
    started.start()
    with pytest.raises(RuntimeError):
        started.start()
    started.close()
    started.close()
    make(Parrot()).close()

    assert threading.active_count() == before
    with pytest.raises(EndpointCut):
        started.reconnect()


def test_a_newer_host_on_the_network_takes_the_place_of_the_older() -> None:
    with TcpEndpoint(Parrot()) as endpoint, host_of(endpoint.url) as first:
        first.write(b"1")
        assert first.read() == b"1"
        with host_of(endpoint.url) as second:
            assert first.read() == b""
            second.write(b"2")
            assert second.read() == b"2"


def test_a_host_on_the_network_may_go_and_come_again() -> None:
    with TcpEndpoint(Parrot()) as endpoint:
        for word in (b"1", b"2", b"3"):
            with host_of(endpoint.url) as host:
                host.write(word)
                assert host.read() == word


@needs_pty
def test_a_serial_host_may_go_and_come_again() -> None:
    with a_pty(Parrot()) as endpoint:
        for word in (b"1", b"2", b"3"):
            with host_of(endpoint.url) as host:
                host.write(word)
                assert host.read() == word


WITHOUT_UNIX = """
import socket, sys
for name in ("termios", "pty", "tty", "fcntl", "grp", "pwd"):
    sys.modules[name] = None
from firmware_sim.endpoints.tcp import TcpEndpoint

class Quiet:
    now = 0.0
    data = b""
    def receive(self, data): self.data += data
    def advance_to(self, time): self.now = time
    def next_due(self): return None
    def take_output(self):
        data, self.data = self.data, b""
        return [(self.now, data)] if data else []

with TcpEndpoint(Quiet()) as endpoint:
    address, _, port = endpoint.url.removeprefix("tcp:").rpartition(":")
    with socket.create_connection((address, int(port)), timeout=30) as host:
        host.sendall(b"hello")
        print(host.recv(5).decode())
"""


def test_the_network_endpoint_works_where_the_serial_modules_do_not_exist() -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_UNIX], cwd=root, capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "hello\n", "")
