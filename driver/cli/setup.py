"""`dealctl setup`: the first ten minutes. Practise, plug in, name the machine, a test pack, three questions, a file.

May import: the driver and the rest of `driver.cli`. Read next: `doctor.py`, `driver/club.py` (what is kept of it).
It may be done again at any time: Enter alone leaves a step out, or keeps what was said before.
"""

from __future__ import annotations

import shlex
from argparse import Namespace
from typing import Final

from driver.cli.doctor import examine, lines_of
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.names import Names, cleaned
from driver.cli.pack import check_pack_in
from driver.cli.questions import ask_line, ask_yes, somebody_there
from driver.cli.ranges import NO_COLOURS, parse_colours
from driver.cli.recovery import mention_left_open
from driver.cli.refusals import NobodyToAsk
from driver.cli.which_set import open_store
from driver.clock import utc_now
from driver.club import keep_dealers_play, keep_director, keep_machine, kept_club
from driver.pack_colours import PackColours, keep_colours, kept_colours
from driver.plugged_in.candidates import Candidate, Known
from driver.plugged_in.diagnosis import WELL, Diagnosis
from driver.plugged_in.facts import Talk
from driver.store.store import Store

PRACTICE: Final = ("practise", "--new", "3", "--fault", "jam-path@2/23")
"""Three boards, and a card that sticks at the second."""


def run(args: Namespace) -> int:
    """Walks through the steps; nothing is changed that was not answered."""
    if not somebody_there(as_json=args.json):
        raise NobodyToAsk("Setting up is a talk with a person.", hint="Nothing was changed. Run it in a terminal.")
    mention_left_open(args)
    put("Five steps. Enter alone leaves a step out, or keeps what was said before.")
    _practise(args)
    found = _find(args)
    if found is not None:
        candidate, talk = found
        _name(candidate, talk, args)
        _test_pack(talk, args)
    _questions(args)
    return _own_file(args, None if found is None else found[1])


def _practise(args: Namespace) -> None:
    put("1. Practise three boards on a simulated machine. At board 2 a card will stick, so that you see what to do.")
    if ask_yes("Practise now?"):
        _run([*PRACTICE], args)


def _find(args: Namespace) -> tuple[Candidate | None, Talk] | None:
    """The machine and what it said of itself; None when the person goes on without one."""
    put("2. Plug the machine in and switch it on.")
    if ask_line("Press Enter when it is on (or type s to go on without a machine): ").lower() == "s":
        return None
    while True:
        facts, found = examine(args)
        if found.trouble in WELL and facts.talk is not None:
            return found.candidate, facts.talk
        for line in lines_of(found):
            put(line)
        if not _try_again(found, args):
            return None


def _try_again(found: Diagnosis, args: Namespace) -> bool:
    """Whether to look once more; where several things may be the machine, a number says which."""
    for number, candidate in enumerate(found.choices, start=1):
        put(f"{number}  {candidate.url}   {candidate.label}")
    which = "type its number, " if found.choices else ""
    typed = ask_line(f"Press Enter to look again ({which}or s to go on without a machine): ").lower()
    if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(found.choices):
        args.machine = found.choices[int(typed) - 1].url
    return typed != "s"


def _name(candidate: Candidate | None, talk: Talk, args: Namespace) -> None:
    if candidate is None:  # behind an address of the network: it is reached by that
        put(f"Found: {talk.model} {talk.serial}.")
        return
    with open_store(args) as store:
        known = next((one for one in kept_club(store.decisions).machines if one.serial == talk.serial), None)
        usual = talk.serial if known is None else known.name
        name = cleaned(ask_line(f"Found: {talk.model} {talk.serial}. Name? (Enter: {usual}) ")) or usual
        device = candidate.device
        now = Known(talk.serial, name, device.vendor, device.product, device.serial, device.location)
        if now != known:
            keep_machine(store.decisions, _who(store), now)
    put(f"From now on it is the machine that is meant when none is named; --machine {shlex.quote(name)} means it too.")


def _test_pack(talk: Talk, args: Namespace) -> None:
    put("3. A test pack: the machine feeds 52 cards, each into a pocket in turn, and reads them. No deal is involved.")
    if ask_yes("Deal a test pack now?"):
        args.machine, args.ready = talk.url, False
        report = check_pack_in(args)
        if report is None:
            return
        put(f"{report.read} of 52 cards were read.")
        for sentence in report.sentences:
            put(sentence)


def _questions(args: Namespace) -> None:
    put("4. Three questions about the club.")
    with open_store(args) as store:
        club, who = kept_club(store.decisions), _who(store)
        director = cleaned(ask_line(f"Who directs as a rule? (Enter: {club.director or 'nobody in particular'}) "))
        if director and director != club.director:
            keep_director(store.decisions, who, director)
        usual = {True: "yes", False: "no", None: "not said"}[club.dealers_play]
        plays = _ask_plays(usual)
        if plays is not None and plays is not club.dealers_play:
            keep_dealers_play(store.decisions, who, plays=plays)
        _ask_colours(store, who)


def _ask_plays(usual: str) -> bool | None:
    """None for Enter alone."""
    while typed := ask_line(f"Do the people who deal also play? Type yes or no (Enter: {usual}) ").lower():
        if typed in ("y", "yes", "n", "no"):
            return typed.startswith("y")
    return None


def _ask_colours(store: Store, who: str) -> None:
    kept = kept_colours(store.decisions)
    usual = NO_COLOURS if kept is None else f"{kept.odd},{kept.even}"
    question = f"Back colours of the packs in odd and in even boards, like red,blue, or {NO_COLOURS} (Enter: {usual}) "
    while typed := ask_line(question):
        try:
            named = parse_colours(typed)
        except ValueError as error:
            put(str(error))
            continue
        colours = PackColours(*named) if named else None
        if colours != kept:
            keep_colours(store.decisions, who, colours)
        return


def _own_file(args: Namespace, talk: Talk | None) -> int:
    put("5. Your own file. `dealctl setup` can be done again at any time.")
    if talk is None or not ask_yes("Deal a file of your own now?"):
        put("Whenever you like: dealctl deal FILE")
        return Exit.ALL_GOOD
    return _run(["deal", "--machine", talk.url], args)


def _run(words: list[str], args: Namespace) -> int:
    """Another command, as if it had been typed; it is shown, so that it can be the next time."""
    from driver.cli.main import main

    put(f"The same without this talk: {shlex.join(['dealctl', *words])}")
    return main([*words, *([] if args.data is None else ["--data", str(args.data)])])


def _who(store: Store) -> str:
    """Whoever decided something this evening; nobody is asked for a name here."""
    return Names(store.decisions, utc_now, given=None, asks=False).kept()
