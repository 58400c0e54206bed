"""The simulated operator: packs and boards in order, faults put right, and every slip of the list.

Read next: `firmware_sim/person.py`, `test_sim_scenario.py`.
The host here is the smallest that deals: it arms when a board is in, goes on when it may, and closes what it cannot.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.core import SimMachine
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.faults import FaultPlan
from firmware_sim.hands import Hands
from firmware_sim.packs import BLUE, RED
from firmware_sim.person import Act, Person
from firmware_sim.person_script import (
    OddPack,
    PackKind,
    Packs,
    PersonScript,
    Slip,
    SlipKind,
    boards_text,
    parse_boards,
)
from firmware_sim.profile import FULL, P_ONLY, Profile
from protocol.cards import HAND_SIZE, PACK_SIZE
from protocol.codec import decode, encode
from protocol.codes import (
    AnomalyMode,
    Confirmation,
    FaultCode,
    Key,
    Kind,
    NextStep,
    Place,
    Recognition,
    Refusal,
    Routing,
    State,
)
from protocol.framing import FrameDecoder, encode_frame
from protocol.messages import (
    Arm,
    Armed,
    Beat,
    Clear,
    Close,
    Event,
    FaultEvent,
    Go,
    Hello,
    HelloAck,
    KeyEvent,
    Message,
    Refused,
    Request,
    Status,
    StatusReport,
)

CONFIRMED = Confirmation.BOARD_NUMBER | Confirmation.POCKETS_EMPTY | Confirmation.HOPPER_LOADED
PATIENCE = 120.0
"""Simulated seconds after which a test gives up."""


def plan(board: int) -> tuple[int, ...]:
    """The pocket of each card code (or index) for that board: another one for each, 13 in each pocket."""
    return tuple((slot * 7 + board) % 4 for slot in range(PACK_SIZE))


def packed(pockets: tuple[int, ...]) -> bytes:
    return bytes(sum(pockets[at + step] << 2 * step for step in range(4)) for at in range(0, PACK_SIZE, 4))


class SmallHost:
    """Deals boards on a machine behind a memory endpoint, one request at a time, on a line without faults."""

    def __init__(self, endpoint: MemoryEndpoint, machine: SimMachine) -> None:
        self.refusals: list[Refusal] = []
        self.faults: list[FaultCode] = []
        self.keys: list[Key] = []
        self.more_packs = False
        self.waits_for_start = False
        self._endpoint = endpoint
        self._machine = machine
        self._decoder = FrameDecoder()
        self._number = 0
        self._connection = 0
        self._run = 0
        self._starts_used = 0
        self._connect()

    def deal(self, board: int, *, wanted: State = State.DONE) -> StatusReport:
        """Deals that board, however often it takes; gives the status before CLOSE."""
        give_up = self._endpoint.now + PATIENCE
        self._run += 1
        while self._endpoint.now < give_up:
            status = self.status()
            if status.state is State.DONE or (status.state is State.PAUSED and wanted is State.PAUSED):
                self.ask(Close(status.run))
                return status
            if status.state is State.MOVING:
                self._beat()
            elif self._put_right(status) and (not self.waits_for_start or self._started()):
                self._arm_and_go(board)
            self._wait(0.5)
        raise AssertionError(f"board {board} was not dealt: {status}, {self.refusals}")

    def status(self) -> StatusReport:
        answer = self.ask(Status())
        assert isinstance(answer, StatusReport)
        return answer

    def ask(self, request: Request) -> Message:
        self._number += 1
        number = self._number
        self._send(request, number)
        for _ in range(100):
            for frame in self._frames(0.1):
                if frame[0] is Kind.ANSWER and frame[1] == number:
                    return frame[2]
        raise AssertionError("no answer")

    def _connect(self) -> None:
        self._endpoint.write(encode_frame(encode(Hello(77, 1, 1))))
        while not self._connection:
            for _, _, message in self._frames(1.0):
                if isinstance(message, HelloAck):
                    self._connection = message.connection

    def _put_right(self, status: StatusReport) -> bool:
        """True when the machine may be armed; clears a fault and closes a run that never may go on."""
        if status.cannot_go_on and self._settled():
            self.ask(Close(status.run))
            self._run += 1
            return False
        if status.may & NextStep.CLEAR:
            answer = self.ask(Clear(status.fault_event))
            return not isinstance(answer, Refused)
        return bool(status.may & (NextStep.GO_ON | NextStep.ARM_NEW))

    def _started(self) -> bool:
        """True once for each START."""
        news = self.keys.count(Key.START) > self._starts_used
        self._starts_used += news
        return news

    def _settled(self) -> bool:
        return not self._machine.mechanism.card_path.reader and not self._machine.mechanism.card_path.path

    def _arm_and_go(self, board: int) -> None:
        status = self.status()
        by_order = self._machine.profile.recognition is Recognition.NONE
        first = status.index if status.state is State.PAUSED else 0
        run = self._machine.control.run
        put_back = first if run is not None and run.under_way is not None else 255
        arm = Arm(
            self._run, b"plan-tag", board, Routing.BY_ORDER if by_order else Routing.BY_IDENTITY, AnomalyMode.STOP,
            self.more_packs, CONFIRMED, put_back, first, status.last_event, packed(plan(board)),
        )  # fmt: skip
        answer = self.ask(arm)
        if isinstance(answer, Armed):
            self.ask(Go(answer.token))
        elif isinstance(answer, Refused):
            self.refusals.append(Refusal(answer.reason))

    def _beat(self) -> None:
        self._send(Beat(), 0)

    def _send(self, message: Message, number: int) -> None:
        self._endpoint.write(encode_frame(encode(message, connection=self._connection, number=number)))

    def _wait(self, seconds: float) -> None:
        until = self._endpoint.now + seconds
        while self._endpoint.now < until:
            self._frames(until - self._endpoint.now)

    def _frames(self, timeout: float) -> list[tuple[Kind, int, Message]]:
        found = []
        for frame in self._decoder.feed(self._endpoint.read(timeout)):
            message = decode(frame)
            if isinstance(message, Event):
                self._note(message)
            found.append((frame.kind, frame.number, message))
        return found

    def _note(self, event: Event) -> None:
        if isinstance(event, FaultEvent):
            self.faults.append(FaultCode(event.fault))
        elif isinstance(event, KeyEvent):
            self.keys.append(Key(event.key))


class Room:
    """Machine, person and host together."""

    def __init__(self, script: PersonScript, *, faults: str = "", profile: Profile = FULL) -> None:
        self.machine = SimMachine(profile, faults=FaultPlan.parse(faults), seed=1)
        self.person = Person(self.machine, script)
        self.endpoint = MemoryEndpoint(self.machine, person=self.person)
        self.host = SmallHost(self.endpoint, self.machine)

    def deal_all(self) -> None:
        for turn, board in enumerate(self.person.script.boards):
            self.host.more_packs = self.more_packs_below(turn)
            self.host.deal(board)
        self.endpoint.pass_time(5.0)

    def more_packs_below(self, turn: int) -> bool:
        script = self.person.script
        return script.packs is Packs.TWO and turn + 1 < len(script.boards)

    def check_boards(self, *turns: int) -> None:
        """The boards of those turns (all by default) hold what the plan says, by card code."""
        boards = self.person.script.boards
        assert self.machine.truth.violations() == []
        for turn in turns or range(len(boards)):
            expected = plan(boards[turn])
            pockets = self.machine.truth.pockets_of(self.person.board_of(turn))
            for pocket, codes in enumerate(pockets):
                assert sorted(codes) == [code for code in range(PACK_SIZE) if expected[code] == pocket]

    @property
    def done(self) -> list[Act]:
        return [act for _, act in self.person.acts]


def script(boards: str, *slips: str, **changes: object) -> PersonScript:
    made = PersonScript(parse_boards(boards), slips=tuple(map(Slip.parse, slips)), seed=5)
    return replace(made, **changes)  # type: ignore[arg-type]


def test_board_after_board_is_dealt_and_taken_out() -> None:
    room = Room(script("1-4"))
    room.deal_all()

    room.check_boards()
    assert room.person.is_finished
    assert room.machine.mechanism.slot.board is None
    assert room.done == [Act.LOAD, Act.PUT_IN, Act.TAKE_OUT] * 4
    assert room.host.faults == []
    assert set(room.host.refusals) <= {Refusal.CHECK_FAILED, Refusal.SAME_BOARD}  # the host asked too early


def test_a_number_that_comes_again_is_another_physical_board() -> None:
    room = Room(script("3,3"))
    room.deal_all()

    room.check_boards()
    assert room.person.board_of(0) is not room.person.board_of(1)


def test_two_packs_lie_in_the_hopper_with_alternate_backs() -> None:
    room = Room(script("1-3", packs=Packs.TWO))
    room.endpoint.pass_time(2.0)
    hopper = room.machine.mechanism.hopper
    assert [card.back for card in reversed(hopper)] == [BLUE] * PACK_SIZE + [RED] * PACK_SIZE
    room.deal_all()

    room.check_boards()
    backs = [{card.back for pocket in room.person.board_of(turn).pockets for card in pocket} for turn in range(3)]
    assert backs == [{BLUE}, {RED}, {BLUE}]
    assert room.machine.mechanism.hopper == []


def test_every_move_of_the_hands_takes_its_time_on_the_scale_of_the_mechanism() -> None:
    for speed in (1.0, 10.0):
        machine = SimMachine(FULL, speed=speed)
        person = Person(machine, script("1"))
        MemoryEndpoint(machine, person=person).pass_time(2.0)

        assert [act for _, act in person.acts] == [Act.LOAD, Act.PUT_IN]
        assert [at for at, _ in person.acts] == pytest.approx([0.25 / speed, 0.5 / speed])


def test_a_person_with_nothing_to_do_asks_for_no_time() -> None:
    machine = SimMachine(FULL)
    person = Person(machine, script("1"))
    MemoryEndpoint(machine, person=person).pass_time(2.0)

    assert person.next_act(2.0) is None


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("jam-reader@1/20", FaultCode.JAM),
        ("jam-path@1/20", FaultCode.JAM),
        ("no-feed@1/20", FaultCode.NO_FEED),
        ("face-up@1/20", FaultCode.FACE_UP),
        ("unreadable@1/20", FaultCode.UNREADABLE),
        ("foreign@1/20", FaultCode.FOREIGN_CARD),
        ("cover@1/20:30", FaultCode.COVER_OPEN),
        ("double-feed@1/20", FaultCode.DOUBLE_FEED),
        ("wrong-pocket@1/20:0", FaultCode.WRONG_POCKET),
        ("stall@1/20", None),
    ],
)
def test_a_fault_is_put_right_and_the_board_ends_as_planned(fault: str, code: FaultCode | None) -> None:
    room = Room(script("1-2"), faults=fault)
    room.deal_all()

    room.check_boards()
    assert code is None or room.host.faults[:1] in ([code], [])
    assert not room.machine.mechanism.cover_open


def test_a_power_cut_is_survived_and_the_card_in_the_path_goes_back() -> None:
    room = Room(script("1-2"), faults="power-cut@1/2055ms:kept:2s")
    host = room.host
    with pytest.raises(AssertionError):
        host.deal(1)  # the connection is gone
    again = SmallHost(room.endpoint, room.machine)
    again.deal(1)

    room.check_boards(0)


@pytest.mark.parametrize(
    ("slip", "refusal"),
    [
        ("same-board@2", Refusal.POCKETS_NOT_EMPTY),
        ("wrong-board@2", Refusal.WRONG_BOARD),
        ("full-board@2", Refusal.POCKETS_NOT_EMPTY),
        ("turned-board@2", Refusal.BOARD_TURNED),
    ],
)
def test_a_board_slip_is_refused_noticed_and_put_right(slip: str, refusal: Refusal) -> None:
    room = Room(script("1-3", slip))
    room.deal_all()

    assert refusal in room.host.refusals or Refusal.WRONG_BOARD in room.host.refusals
    assert Act.LOOK_AGAIN in room.done
    room.check_boards()


def test_a_board_pulled_early_is_a_fault_and_dealt_again() -> None:
    room = Room(script("1-2", "pulled-early@1:20"))
    room.deal_all()

    assert room.host.faults == [FaultCode.BOARD_OUT]
    assert room.done.count(Act.PULL) == 1
    assert Act.GATHER in room.done
    room.check_boards()


def test_a_jammed_card_put_into_a_pocket_is_no_card_put_back() -> None:
    room = Room(script("1", "jam-to-pocket@1"), faults="jam-path@1/30")
    room.host.deal(1, wanted=State.PAUSED)

    pockets = room.machine.truth.pockets_of(1)
    assert sum(map(len, pockets)) in (30, 31)


def test_a_forgotten_card_is_missed_at_the_end_found_on_the_table_and_dealt() -> None:
    room = Room(script("1", "jam-forgotten@1"), faults="jam-path@1/30")
    room.deal_all()

    assert room.host.faults[:2] == [FaultCode.JAM, FaultCode.HOPPER_EMPTY]
    room.check_boards()


def test_start_pressed_without_clearing_is_a_key_and_nothing_more() -> None:
    room = Room(script("1", "not-cleared@1"), faults="jam-path@1/30")
    room.deal_all()

    assert room.host.keys == [Key.START]
    assert room.done.index(Act.START_TOO_EARLY) < room.done.index(Act.CURE)
    room.check_boards()


def test_two_keys_at_once_stop_the_machine() -> None:
    room = Room(script("1", "two-keys@1:10"))
    room.deal_all()

    assert room.host.keys == [Key.START, Key.STOP]
    assert room.machine.truth.violations() == []


def test_a_person_who_starts_presses_the_key_when_the_board_is_ready_and_after_each_cure() -> None:
    room = Room(script("1", starts=True), faults="jam-path@1/30")
    room.host.waits_for_start = True
    room.deal_all()

    assert room.host.keys == [Key.START, Key.START]
    assert room.done == [Act.LOAD, Act.PUT_IN, Act.START, Act.CURE, Act.START, Act.TAKE_OUT]


def test_the_screen_may_ask_for_a_board_again() -> None:
    room = Room(script("1-3"))
    room.host.deal(1)
    room.host.deal(2)
    room.endpoint.pass_time(3.0)
    room.person.ask_for(1)
    room.endpoint.pass_time(3.0)

    slot = room.machine.mechanism.slot
    assert slot.board is room.person.board_of(0)
    assert len(room.machine.mechanism.hopper) == PACK_SIZE
    room.host.deal(1)
    room.host.deal(3)
    room.check_boards(0, 1, 2)
    with pytest.raises(ValueError, match="no board 9"):
        room.person.ask_for(9)


def test_by_order_each_pocket_gets_thirteen_cards() -> None:
    room = Room(script("1-2"), profile=P_ONLY)
    room.deal_all()

    for turn in range(2):
        assert [len(pocket) for pocket in room.person.board_of(turn).pockets] == [HAND_SIZE] * 4


def test_odd_packs_are_as_the_script_says() -> None:
    odd = tuple(map(OddPack.parse, ("short@1", "long@2", "swapped@3", "stop-card@5")))
    hands = Hands(SimMachine(FULL).mechanism, script("1-6", odd_packs=odd))
    packs = [hands.pack(number) for number in range(1, 7)]

    assert [len(pack) for pack in packs] == [51, 53, 52, 52, 53, 52]
    assert packs[4][-1].stop
    third, fourth = ([card.identity for card in pack] for pack in packs[2:4])
    assert len(set(third)) == len(set(fourth)) == PACK_SIZE - 1
    assert sorted(third + fourth) == sorted(2 * list(range(PACK_SIZE)))
    assert [card.identity for card in packs[0]] == [card.identity for card in hands.pack(1)]


def test_a_short_pack_is_dealt_again_with_a_whole_one() -> None:
    room = Room(script("1-2", odd_packs=(OddPack(PackKind.SHORT, 1),)))
    room.host.deal(1, wanted=State.PAUSED)
    room.deal_all()

    assert room.host.faults == [FaultCode.HOPPER_EMPTY]
    assert Act.GATHER in room.done
    room.check_boards()


def test_taking_a_card_that_is_not_there_is_no_act_of_the_hands() -> None:
    hands = Hands(SimMachine(FULL).mechanism, script("1"))

    assert not hands.put_right(FaultCode.HOPPER_EMPTY, Place.HOPPER)
    assert not hands.put_right(FaultCode.NO_FEED, Place.HOPPER)
    assert not hands.put_right(FaultCode.WRONG_BACK, Place.HOPPER)
    assert hands.path_is_clear()


# The script


def test_boards_are_read_in_their_order() -> None:
    assert parse_boards("1-3, 7,1-2") == (1, 2, 3, 7, 1, 2)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=20).map(tuple))
def test_the_text_of_boards_reads_back(boards: tuple[int, ...]) -> None:
    assert parse_boards(boards_text(boards)) == boards


@pytest.mark.parametrize("text", ["", "x", "3-1", "0", "1-99999", "1--2", "1,,2"])
def test_boards_that_are_none_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="Boards"):
        parse_boards(text)


@given(st.builds(Slip, st.sampled_from(SlipKind), st.integers(1, 99)))
def test_the_text_of_a_slip_reads_back(slip: Slip) -> None:
    assert Slip.parse(slip.describe()) == slip


def test_the_text_of_a_slip_at_a_card_reads_back() -> None:
    assert Slip.parse("pulled-early@3:20") == Slip(SlipKind.PULLED_EARLY, 3, 20)


@pytest.mark.parametrize("text", ["dance@1", "same-board", "same-board@0", "pulled-early@1:52", "pulled-early@1:x"])
def test_a_slip_that_is_none_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="slip"):
        Slip.parse(text)


def test_a_slip_for_a_board_that_never_comes_is_refused() -> None:
    with pytest.raises(ValueError, match="of 2"):
        script("1-2", "same-board@3")
    with pytest.raises(ValueError, match="first board"):
        script("1-2", "same-board@1")


@pytest.mark.parametrize("text", ["torn@1", "short", "short@0"])
def test_an_odd_pack_that_is_none_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"pack|Packs"):
        OddPack.parse(text)


def test_nothing_of_the_person_shows_a_card() -> None:
    room = Room(script("1-2"))
    room.host.deal(1)

    assert repr(room.person) == "Person(turn=0)"
    assert room.person.script.describe() == "person seed=5 boards=1-2 packs=one"
