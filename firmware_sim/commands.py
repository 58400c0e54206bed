"""What the control channel can do: look at the truth, act as a person, break things, pull cables.

May import: the other modules of this folder and the standard library. Read next: `control.py`, which carries it.
Commands are a table: each has a name, its arguments with their types, and a function. Answers are plain JSON values.
Only here do cards leave the simulator's inside by name, and only when "truth" is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from firmware_sim.arguments import Arguments, CommandError, Json
from firmware_sim.core import SimMachine
from firmware_sim.endpoints.base import Endpoint, EndpointCut
from firmware_sim.endpoints.rig import Rig
from firmware_sim.faults import MachineFault
from firmware_sim.line import Line, LinePlan
from firmware_sim.memory import MemoryFate
from firmware_sim.packs import BLUE, SimCard, long_pack, short_pack, shuffled_pack, with_stop_card
from firmware_sim.person import Person
from firmware_sim.person_script import PackKind
from protocol.codes import Key, Place, ResetCause


class MachineCommands:
    """Carries commands out on the machine behind `endpoint`; `hand` holds the cards taken until they are put back."""

    def __init__(
        self, endpoint: Endpoint, machine: SimMachine, *, person: Person | None = None, told: str = ""
    ) -> None:
        self.endpoint = endpoint
        self.machine = machine
        self.person = person
        self.told = told
        self.hand: list[SimCard] = []

    def run(self, command: dict[str, Json]) -> dict[str, Json]:
        """The answer to one command, without "ok". Raises CommandError with a sentence."""
        values = dict(command)
        name = values.pop("do", None)
        if not isinstance(name, str) or name not in COMMANDS:
            raise CommandError(f"No command is called {name!r}; there are {', '.join(COMMANDS)}.")
        known = COMMANDS[name]
        arguments = Arguments(values, known.arguments)
        try:
            return known.run(self, arguments) or {}
        except EndpointCut as error:
            raise CommandError(str(error)) from error
        except (LookupError, ValueError) as error:
            raise CommandError(f"{name} is not possible: {error}") from error

    def from_hand(self) -> SimCard:
        """The card taken last. Raises CommandError when there is none."""
        if not self.hand:
            raise CommandError("There is no card in the hand; take_card first.")
        return self.hand.pop()


def _help(at: MachineCommands, _: Arguments) -> dict[str, Json]:
    """Every command with its arguments."""
    return {"commands": {name: list(command.arguments) for name, command in COMMANDS.items()}}


def _truth(at: MachineCommands, arguments: Arguments) -> dict[str, Json]:
    """What physically happened: pockets of every board (of one number with "board"), feeds, motions, motors."""
    with at.endpoint.at_machine():
        truth = at.machine.truth
        motors: list[Json] = [[on, off] for on, off in truth.motor_on]
        if truth.motor_since is not None:
            motors.append([truth.motor_since, None])
        boards: list[Json] = []
        for board in truth.boards:
            if not arguments.has("board") or board.number == arguments.whole("board"):
                pockets: list[Json] = [[*pocket] for pocket in truth.pockets_of(board)]
                boards.append({"number": board.number, "pockets": pockets})
        return {
            "boards": boards,
            "feeds": len(truth.feeds()),
            "drops": len(truth.drops()),
            "motions": [motion.time for motion in truth.motions],
            "motors": motors,
            "violations": [*truth.violations()],
        }


def _status(at: MachineCommands, _: Arguments) -> dict[str, Json]:
    """Where everything stands; no card is named."""
    with at.endpoint.at_machine() as rig:
        mechanism, control = at.machine.mechanism, at.machine.control
        slot = mechanism.slot
        return {
            "time": rig.now,
            "powered": at.machine.powered,
            "plan": at.told,
            "url": None if rig.is_cut else at.endpoint.url,
            "state": control.state.name,
            "index": None if control.run is None else control.run.shown_index(),
            "fault": None if control.fault is None else control.fault.code.name,
            "odometer": control.odometer,
            "cover_open": mechanism.cover_open,
            "hopper": len(mechanism.hopper),
            "reader": len(mechanism.card_path.reader),
            "path": len(mechanism.card_path.path),
            "board": None if slot.board is None else slot.board.number,
            "turned": slot.turned,
            "in_hand": len(at.hand),
            "line": _line_facts(rig),
            "person": _person_facts(at.person),
        }


def _load_pack(at: MachineCommands, arguments: Arguments) -> None:
    """A shuffled pack into the hopper; "kind" SHORT, LONG or STOP_CARD, "below", "seed", "back"."""
    seed, back = arguments.whole("seed", 0), arguments.text("back", BLUE)
    match arguments.one_of("kind", PackKind) if arguments.has("kind") else None:
        case PackKind.SWAPPED:
            raise CommandError("Swapped packs are two; a scenario's odd_packs has them.")
        case PackKind.SHORT:
            pack = short_pack(seed, back=back)
        case PackKind.LONG:
            pack = long_pack(seed, back=back)
        case PackKind.STOP_CARD:
            pack = with_stop_card(shuffled_pack(seed, back=back))
        case None:
            pack = shuffled_pack(seed, back=back)
    with at.endpoint.at_machine():
        at.machine.mechanism.load_pack(pack, below=arguments.flag("below"))


def _empty_hopper(at: MachineCommands, _: Arguments) -> None:
    """Takes all cards out of the hopper and puts them away."""
    with at.endpoint.at_machine():
        at.machine.mechanism.take_hopper()


def _insert_board(at: MachineCommands, arguments: Arguments) -> None:
    """A new board "number", "full", "turned", or the "same" one that was taken out last."""
    with at.endpoint.at_machine():
        at.machine.mechanism.slot.insert_board(
            arguments.whole("number", 1),
            full=arguments.flag("full"),
            turned=arguments.flag("turned"),
            same_as_before=arguments.flag("same"),
        )


def _remove_board(at: MachineCommands, _: Arguments) -> None:
    """Takes the board out, with its cards."""
    with at.endpoint.at_machine():
        at.machine.mechanism.slot.remove_board()


def _empty_pockets(at: MachineCommands, _: Arguments) -> None:
    """Takes all cards out of the pockets; the board stays."""
    with at.endpoint.at_machine():
        at.machine.mechanism.slot.empty_pockets()


def _take_card(at: MachineCommands, arguments: Arguments) -> None:
    """Takes a card from "place" (HOPPER, READER, PATH, POCKET_0 … 3) into the hand."""
    place = arguments.one_of("place", Place)
    with at.endpoint.at_machine():
        at.hand.append(at.machine.mechanism.take_card(place))


def _put_card_back(at: MachineCommands, arguments: Arguments) -> None:
    """Puts the card in the hand on top of the hopper, face down and wiped unless "as_it_is"."""
    with at.endpoint.at_machine():
        at.machine.mechanism.put_card_back(at.from_hand(), put_right=not arguments.flag("as_it_is"))


def _put_card_in_pocket(at: MachineCommands, arguments: Arguments) -> None:
    """Puts the card in the hand into "pocket" 0 … 3."""
    pocket = arguments.whole("pocket")
    if not 0 <= pocket <= 3:
        raise CommandError("A pocket is 0 to 3.")
    with at.endpoint.at_machine():
        at.machine.mechanism.put_card_in_pocket(at.from_hand(), pocket)


def _open_cover(at: MachineCommands, _: Arguments) -> None:
    """Opens the cover."""
    with at.endpoint.at_machine():
        at.machine.mechanism.open_cover()


def _close_cover(at: MachineCommands, _: Arguments) -> None:
    """Closes the cover."""
    with at.endpoint.at_machine():
        at.machine.mechanism.close_cover()


def _press(at: MachineCommands, arguments: Arguments) -> None:
    """Presses "key" START, PAUSE or STOP."""
    key = arguments.one_of("key", Key)
    with at.endpoint.at_machine():
        at.machine.mechanism.press(key)


def _ask_person(at: MachineCommands, arguments: Arguments) -> None:
    """The screen asks the person for "board", emptied."""
    if at.person is None:
        raise CommandError("Nobody stands beside the machine.")
    with at.endpoint.at_machine():
        at.person.ask_for(arguments.whole("board"))


def _fault(at: MachineCommands, arguments: Arguments) -> None:
    """One more fault of the machine, "text" as in a plan: jam-path@23."""
    fault = MachineFault.parse(arguments.text("text"))
    with at.endpoint.at_machine():
        at.machine.mechanism.add_fault(fault)


def _clear_faults(at: MachineCommands, _: Arguments) -> None:
    """Nothing of the machine goes wrong any more."""
    with at.endpoint.at_machine():
        at.machine.mechanism.clear_faults()


def _power_off(at: MachineCommands, arguments: Arguments) -> None:
    """The power goes; "memory" KEPT, LAST_MARK_LOST, TORN or BLANK."""
    fate = arguments.one_of("memory", MemoryFate, MemoryFate.KEPT)
    with at.endpoint.at_machine():
        at.machine.power_off(fate)


def _power_on(at: MachineCommands, arguments: Arguments) -> None:
    """The power is back; "cause" as HELLO_ACK will tell it."""
    cause = arguments.one_of("cause", ResetCause, ResetCause.POWER_ON)
    with at.endpoint.at_machine():
        at.machine.power_on(cause)


def _line(at: MachineCommands, arguments: Arguments) -> None:
    """From now on the line is as "text" says: seed=7 drop=0.1. Times count from the machine's start."""
    plan = LinePlan.parse(arguments.text("text"))
    with at.endpoint.at_machine() as rig:
        rig.line = Line.of(plan, baud=None if rig.line is None else rig.line.baud)


def _freeze(at: MachineCommands, arguments: Arguments) -> None:
    """Nothing passes on the line for "seconds"."""
    seconds = arguments.number("seconds")
    with at.endpoint.at_machine() as rig:
        rig.need_line().freeze(rig.now, rig.now + seconds)


def _cut(at: MachineCommands, _: Arguments) -> None:
    """Pulls the cable."""
    at.endpoint.cut()


def _reconnect(at: MachineCommands, _: Arguments) -> dict[str, Json]:
    """Puts the cable back; the answer holds the new "url"."""
    return {"url": at.endpoint.reconnect()}


def _line_facts(rig: Rig) -> dict[str, Json]:
    facts: dict[str, Json] = {"dropped_out": rig.dropped_out}
    if rig.line is not None:
        facts["plan"] = rig.line.describe()
        facts.update({direction.value: count.describe() for direction, count in rig.line.counters.items()})
    return facts


def _person_facts(person: Person | None) -> Json:
    return None if person is None else {"turn": person.turn + 1, "finished": person.is_finished}


@dataclass(frozen=True, slots=True)
class Command:
    """One entry of the table: what runs, and the arguments with their types (float admits whole numbers)."""

    run: Callable[[MachineCommands, Arguments], dict[str, Json] | None]
    arguments: dict[str, type]


COMMANDS: Final[dict[str, Command]] = {
    "help": Command(_help, {}),
    "truth": Command(_truth, {"board": int}),
    "status": Command(_status, {}),
    "load_pack": Command(_load_pack, {"kind": str, "below": bool, "seed": int, "back": str}),
    "empty_hopper": Command(_empty_hopper, {}),
    "insert_board": Command(_insert_board, {"number": int, "full": bool, "turned": bool, "same": bool}),
    "remove_board": Command(_remove_board, {}),
    "empty_pockets": Command(_empty_pockets, {}),
    "take_card": Command(_take_card, {"place": str}),
    "put_card_back": Command(_put_card_back, {"as_it_is": bool}),
    "put_card_in_pocket": Command(_put_card_in_pocket, {"pocket": int}),
    "open_cover": Command(_open_cover, {}),
    "close_cover": Command(_close_cover, {}),
    "press": Command(_press, {"key": str}),
    "ask_person": Command(_ask_person, {"board": int}),
    "fault": Command(_fault, {"text": str}),
    "clear_faults": Command(_clear_faults, {}),
    "power_off": Command(_power_off, {"memory": str}),
    "power_on": Command(_power_on, {"cause": str}),
    "line": Command(_line, {"text": str}),
    "freeze": Command(_freeze, {"seconds": float}),
    "cut": Command(_cut, {}),
    "reconnect": Command(_reconnect, {}),
}
