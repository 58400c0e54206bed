"""`dealctl doctor`: walks from the cable up, stops at the first thing wrong, and says what cures it.

May import: `driver.plugged_in`, `choose`, `pack`, `driver.transport`. Read next: `driver/plugged_in/diagnosis.py`.
It opens only the one machine that is meant, after all that needs no opening, and never one that another program holds.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from typing import Any, Final

from driver.cli import pack
from driver.cli.choose import gather_for, wanted_machine
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.new_file import ONLY_OURS, write_new
from driver.cli.recording import recorded
from driver.cli.recovery import mention_left_open
from driver.clock import SystemClock
from driver.opening import read_text
from driver.plugged_in.candidates import Wanted
from driver.plugged_in.diagnosis import WELL, Diagnosis, Step, diagnose
from driver.plugged_in.facts import HOW_MADE, Facts, Talk, from_text, to_text
from driver.plugged_in.rules import rules_text
from driver.plugged_in.talk import talk_to
from driver.recorder import Recorder
from driver.transport.reopen import Reopening

_WHO: Final = ("serial", "model", "firmware", "simulated", "restarted")
_PASSED: Final = {
    Step.SEEN: "The computer sees it.",
    Step.NODE: "It has a port.",
    Step.PERMISSION: "You may open it.",
    Step.HOLDER: "No other program holds it.",
    Step.ANSWER: "It answers as a dealing machine does.",
    Step.VERSIONS: "It and this program understand each other.",
}


def run(args: Namespace) -> int:
    """Says what is wrong, or that all is well; NO_MACHINE for the first."""
    if args.rules:
        print(rules_text(), end="")
        return Exit.ALL_GOOD
    if args.facts is not None:
        facts = from_text(read_text(args.facts, hint=HOW_MADE))
        found = diagnose(facts, Wanted(args.machine or facts.named or None, args.test_machine))
    else:
        facts, found = examine(args)
    if args.save is not None:
        write_new(args.save, to_text(facts).encode(), ONLY_OURS)
    _show(found, facts.talk, args)
    if args.facts is None:
        mention_left_open(args)
    if found.is_open_question or found.trouble not in WELL:
        return Exit.ALL_GOOD if found.is_open_question else Exit.NO_MACHINE
    if args.self_test and args.facts is None:
        assert facts.talk is not None
        args.machine = facts.talk.url
        return pack.run(args)
    return Exit.ALL_GOOD


def examine(args: Namespace) -> tuple[Facts, Diagnosis]:
    """The facts of this computer and what they mean; the machine is opened when nothing speaks against it."""
    wanted = wanted_machine(args, args.machine)
    facts = gather_for(wanted, brief=False)
    found = diagnose(facts, wanted)
    if found.is_open_question:
        facts = replace(facts, talk=_talk(args, found))
        found = diagnose(facts, wanted)
    return facts, found


def _talk(args: Namespace, found: Diagnosis) -> Talk:
    known = None if found.candidate is None else found.candidate.known
    url = args.machine if found.candidate is None else found.candidate.url
    recorder = Recorder()
    with recorded(args, recorder) as keep_traffic:
        talk = talk_to(url, Reopening(url), SystemClock(), recorder, serial=None if known is None else known.serial)
        if talk.code:
            keep_traffic()
    return talk


def _show(found: Diagnosis, talk: Talk | None, args: Namespace) -> None:
    if args.json:
        put_object(as_object(found, talk), sys.stdout)
        return
    for line in lines_of(found):
        put(line)
    if talk is not None and talk.simulated:
        put("It is a simulated machine.")


def lines_of(found: Diagnosis) -> list[str]:
    """What a person is told: the steps that are clear, then the sentence, what it means, and the cure."""
    last = Step.ANSWER if found.is_open_question else found.trouble.step
    lines = [f"  {words}" for step, words in _PASSED.items() if step < last]
    if found.is_open_question:
        return [*lines, "Nothing is wrong so far; only the machine's answer can tell more."]
    lines += [found.entry.sentence, found.entry.means, found.entry.hands]
    return [*lines, f"    {found.entry.command}"] if found.entry.command else lines


def as_object(found: Diagnosis, talk: Talk | None) -> dict[str, Any]:
    """The diagnosis as JSON; who answered, where somebody did."""
    told = {} if found.is_open_question else {"text": found.entry.sentence, "hint": found.entry.hint}
    who = {} if talk is None or talk.code else {name: getattr(talk, name) for name in _WHO}
    return {
        "event": "doctor",
        "step": found.trouble.step.name.lower(),
        "code": "OPEN_QUESTION" if found.is_open_question else found.trouble.name,
        "well": found.trouble in WELL and not found.is_open_question,
        **told,
        "command": "" if found.is_open_question else found.entry.command,
        "machine": None if found.candidate is None else found.candidate.url,
        **who,
    }
