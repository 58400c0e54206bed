"""What can be done with a stored set: throw it away, announce it, fix its public value, play, end, open, show a lesson.

May import: `driver.making`, `driver.opening`, `driver.start_sheet`, `driver.store`, `which_set`, `names`, `show`.
Read next: `driver/store/states.py`. Each step is written into the log of decisions, with a name where one is known.
"""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Final

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.names import DIRECTOR, Names, cleaned
from driver.cli.new_file import EVERYBODY_READS, ONLY_OURS, write_new
from driver.cli.questions import ask_yes, somebody_there
from driver.cli.refusals import NobodyToAsk
from driver.cli.set_facts import dealt_boards, instruction_of, object_of
from driver.cli.show import picture
from driver.cli.text import clean
from driver.cli.which_set import passphrase_for
from driver.clock import utc_now
from driver.deals.fairness import Manifest, parse_manifest
from driver.deals.public_value import canonical_value, check_has_come, check_is_ahead
from driver.errors import CannotBeWritten, ConfigError, NothingOpen, WrongState
from driver.making import deals_of, made_of
from driver.new_hands import given_spares
from driver.opening import HandsChanged, Opening, second_secret
from driver.start_sheet import start_sheet
from driver.store.decisions import Decision, Detail
from driver.store.store import Store
from driver.store.stored import CONTENT_KINDS, SetKind, SetState, StoredSet

LONGEST: Final = 200
"""Letters of an instruction."""


def asked_step(args: Namespace) -> str | None:
    """The first step that is asked for, as its option is typed; None for a look at the set."""
    return next((f"--{name.replace('_', '-')}" for name in _STEPS if _is_asked(args, name)), None)


def take_step(store: Store, stored: StoredSet, args: Namespace) -> int:
    """Takes the steps that are asked for, in the order of their table."""
    # Director and instruction are two options and one step.
    for step in dict.fromkeys(step for name, step in _STEPS.items() if _is_asked(args, name)):
        step(store, stored, args)
    return Exit.ALL_GOOD


def _is_asked(args: Namespace, name: str) -> bool:
    return getattr(args, name) not in (None, False)


def _instruct(store: Store, stored: StoredSet, args: Namespace) -> None:
    """Writes down who directs and what was instructed; what is not named now stays as it was."""
    director, instruction = instruction_of(store, stored)
    director = director if args.director is None else cleaned(args.director)
    instruction = instruction if args.instruction is None else clean(" ".join(args.instruction.split()))[:LONGEST]
    details: dict[str, Detail] = {"set": stored.id, "instruction": instruction, DIRECTOR: bool(director)}
    store.decisions.append(Decision.INSTRUCTION, director, **details)
    _tell(store, stored, args, f"Written down for set {stored.name}.")


def _throw_away(store: Store, stored: StoredSet, args: Namespace) -> None:
    # Where it cannot be thrown away the store says so, and nothing is asked.
    stays = stored.published is not None or bool(dealt_boards(store, stored))
    if not stays and not args.yes:
        if not somebody_there(as_json=args.json):
            raise NobodyToAsk(
                f"Set {stored.name} would be gone for good, and nobody is here to say so.",
                hint="Nothing was changed. Run it in a terminal, or with --yes.",
            )
        if not ask_yes(f"Throw set {stored.name} away? Its hands are gone for good."):
            put(f"Set {stored.name} stays.")
            return
    store.sets.throw_away(stored)
    names = _names(store, args)
    details = {"set": stored.id, "name": stored.name, "kind": stored.kind.value}
    store.decisions.append(Decision.SET_THROWN_AWAY, args.name or names.kept(), **details)
    if args.json:
        put_object({"event": "thrown away", "id": stored.id, "name": stored.name}, sys.stdout)
    else:
        put(f"Set {stored.name} is thrown away. That there was one stays written down.")


def _announce(store: Store, stored: StoredSet, args: Namespace) -> None:
    manifest = _manifest_of(store, stored, "announced")
    out = _free_place(args.announce)
    director, instruction = instruction_of(store, stored)
    sheet = start_sheet(
        manifest,
        name=stored.name,
        date=stored.date,
        director=director,
        instruction=instruction,
        thrown_away=stored.thrown_away,
    )
    if stored.published is not None:
        write_new(out, sheet.encode(), EVERYBODY_READS)
    else:
        check_is_ahead(manifest.rule, utc_now())
        who = _names(store, args).person()
        with store.together():
            stored = (
                store.sets.note_published(stored)
                if stored.state is None
                else store.sets.set_state(stored, SetState.COMMITTED)
            )
            commitment = manifest.commitment.hex()
            store.decisions.append(Decision.COMMITTED, who, set=stored.id, commitment=commitment)
            # Without its sheet nothing is announced: where it cannot be written the set stays what it was.
            write_new(out, sheet.encode(), EVERYBODY_READS)
    _tell(store, stored, args, f"{out.name} is written. Pin it up and send it to many people before the first board.")


def _fix_value(store: Store, stored: StoredSet, args: Namespace) -> None:
    rule = _manifest_of(store, stored, "given a public value").rule
    value = canonical_value(rule, args.public_value)
    check_has_come(rule, utc_now())
    # A slip of the finger would make other deals than those that everybody can check.
    if stored.state is SetState.COMMITTED and somebody_there(as_json=args.json):
        put(f"It was announced as: {rule.text}")
        if not ask_yes(f"Is {value} right? It cannot be changed afterwards."):
            put(f"Set {stored.name} waits for its public value as before.")
            return
    who = _names(store, args).person()
    with store.together():
        stored = store.sets.fix_public_value(stored, value)
        store.decisions.append(Decision.PUBLIC_VALUE_FIXED, who, set=stored.id, value=value)
    _tell(store, stored, args, f"The public value of set {stored.name} is {value}. Now every hand is fixed.")


def _play(store: Store, stored: StoredSet, args: Namespace) -> None:
    _step(store, stored, args, SetState.IN_PLAY, Decision.IN_PLAY, "is in play")


def _end(store: Store, stored: StoredSet, args: Namespace) -> None:
    _step(store, stored, args, SetState.ENDED, Decision.ENDED, "has been played: its hand records may come out")


def _step(store: Store, stored: StoredSet, args: Namespace, state: SetState, decision: Decision, words: str) -> None:
    if stored.state is None:
        raise WrongState(f"Set {stored.name} is no championship set, and goes no such steps.")
    who = _names(store, args).person()
    with store.together():
        after = store.sets.set_state(stored, state)
        if after.state is not stored.state:
            store.decisions.append(decision, who, set=stored.id)
    _tell(store, after, args, f"Set {stored.name} {words}.")


def _open(store: Store, stored: StoredSet, args: Namespace) -> None:
    manifest = _manifest_of(store, stored, "opened")
    if stored.state is not None and stored.state not in (SetState.ENDED, SetState.OPENED):
        raise WrongState(
            f"The play of set {stored.name} has not ended: it stays closed.",
            hint=f"Nothing was shown. When it has: dealctl sets {shlex.quote(stored.name)} --end",
        )
    out = _free_place(args.open)
    second = second_secret(args.second)
    if manifest.second_sha256 and not second:
        raise ConfigError(
            f"Set {stored.name} has two secrets, and the second person's is needed too.",
            key="--second",
            hint="Nothing was shown. Name the second person's file with --second.",
        )
    made = made_of(store, stored, passphrase=passphrase_for(stored, args), second=second)
    if stored.state is None and not args.json:
        put(
            "The file tells every hand of the set, also of boards that are not dealt yet. Who still plays, do not look."
        )
    who = _names(store, args).person()
    if not who:
        raise NobodyToAsk(
            "An opening is kept with a name, and nobody gives one.",
            hint="Nothing was shown. Type a name, or give it with --name.",
        )
    opening = Opening(
        made.manifest,
        made.secret,
        made.public_value,
        made.second,
        stored.name,
        dealt_boards(store, stored),
        _new_hands(store, stored),
    )
    with store.together():
        store.decisions.append(Decision.OPENED, who, set=stored.id)
        # Whoever has read it knows the hands: from here on the set cannot be thrown away for another one.
        stored = (
            store.sets.note_published(stored) if stored.state is None else store.sets.set_state(stored, SetState.OPENED)
        )
    write_new(out, opening.text.encode(), ONLY_OURS)
    _tell(
        store, stored, args, f"{out.name} is written, with every hand of set {stored.name}. Anybody can check it now:"
    )
    if not args.json:
        put(f"dealctl verify-set {shlex.quote(str(args.open))} RECORDS")


def _new_hands(store: Store, stored: StoredSet) -> tuple[HandsChanged, ...]:
    found = []
    for entry in reversed(store.decisions.newest_first()):
        for given in given_spares([entry], stored.id):
            found.append(HandsChanged(given, str(entry.details.get("reason") or "")))
    return tuple(found)


def _show_lesson(store: Store, stored: StoredSet, args: Namespace) -> None:
    if stored.kind is not SetKind.LESSON:
        raise WrongState(
            f"Set {stored.name} is no lesson: its hands are not shown here.",
            hint=f"The director may look at a board: dealctl show {args.show_lesson} --set {shlex.quote(stored.name)}",
        )
    deals = deals_of(store, stored, passphrase=passphrase_for(stored, args))
    board = deals.find(args.show_lesson)
    if board is None:
        raise NothingOpen(
            f"Lesson {stored.name} has no board {args.show_lesson}.", hint=f"It has boards {stored.board_range}."
        )
    if args.json:
        put_object(
            {
                "event": "lesson",
                "set": stored.id,
                "board": board.number,
                "dealer": board.dealer_to_use.letter,
                "vulnerable": board.vulnerability_to_use.text,
                "deal": board.deal.hands_as_pbn(),
            },
            sys.stdout,
        )
        return
    put(f"Lesson {stored.name}")
    for line in picture(board):
        put(line)


def _manifest_of(store: Store, stored: StoredSet, what: str) -> Manifest:
    if stored.kind in CONTENT_KINDS:
        raise WrongState(f"Set {stored.name} is {_A[stored.kind]}, and cannot be {what}.")
    return parse_manifest(store.sets.manifest_of(stored))


def _free_place(out: Path) -> Path:
    """Where the file will be. Before any change: ConfigError when one is there, CannotBeWritten when none can be."""
    if out.exists():
        raise ConfigError(f"{out.name} is there already.", key="OUT", hint="Nothing was changed. Choose another name.")
    if not os.access(out.parent, os.W_OK | os.X_OK):
        raise CannotBeWritten(
            "No file can be written in that folder.",
            path=out,
            hint="Nothing was changed. See that the folder is there and that you may write to it, or name another one.",
        )
    return out


def _names(store: Store, args: Namespace) -> Names:
    return Names(store.decisions, utc_now, given=args.name, asks=somebody_there(as_json=args.json))


def _tell(store: Store, stored: StoredSet, args: Namespace, text: str) -> None:
    if args.json:
        put_object(object_of(store, stored), sys.stdout)
    else:
        put(text)


_A: Final = {SetKind.IMPORTED: "a set from a file", SetKind.LESSON: "a lesson"}
_STEPS: Final[dict[str, Callable[[Store, StoredSet, Namespace], None]]] = {
    "director": _instruct,
    "instruction": _instruct,
    "throw_away": _throw_away,
    "announce": _announce,
    "public_value": _fix_value,
    "play": _play,
    "end": _end,
    "open": _open,
    "show_lesson": _show_lesson,
}
"""The steps by the name of their option."""
