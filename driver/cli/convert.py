"""`dealctl convert FILE OUT`: the boards of a file or of a stored set in another format, all of them or none.

May import: `driver.deals`, `deal_source.py`, `exports.py`. Read next: `driver/deals/formats/registry.py`.

What is written is read back by our own reader and compared before it gets its name, so that a wrong or half-written
file never has it. The file holds every hand: asking for it is the asking that invariant I7 wants, and only this user
may read it.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from driver.cli.deal_source import choose_deals
from driver.cli.exit_codes import Exit
from driver.cli.exports import log_export, log_export_of_file, who_may_export
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.new_file import ONLY_OURS, write_new
from driver.cli.questions import ask_yes, somebody_there
from driver.cli.text import boards_word
from driver.cli.which_set import called, open_store, opened
from driver.deals.formats import dup
from driver.deals.formats.registry import WRITERS
from driver.deals.loader import reader_of
from driver.deals.model import BoardDeal, DealSet
from driver.deals.records import Record, Writer
from driver.errors import CannotBeWritten, ConfigError, NothingOpen

_ANOTHER_NAME: Final = "Nothing was written. Choose another name, or write over it with --force."


def run(args: Namespace) -> int:
    """Writes OUT."""
    writer = _writer_of(args)
    out = Path(os.path.abspath(args.out))
    _refuse_to_overwrite(out, args)
    with _asked_for(args, writer) as found:
        deals = _only_boards(found, args)
        _ask_about_losses(writer, deals, args)
        _write(writer, deals, out, args)
    return Exit.ALL_GOOD


@contextmanager
def _asked_for(args: Namespace, writer: Writer) -> Iterator[DealSet]:
    """The set that is to be written; that it was is written down when all went well."""
    if args.file is None or Path(args.file).exists() or (stored := called(args, args.file)) is None:
        yield choose_deals(args)
        log_export_of_file(args, writer.name)
        return
    with open_store(args) as store:
        who = who_may_export(store, stored, args)
        yield opened(store, stored, args).of_copy("")
        log_export(store, writer.name, who=who, set=stored.id)


def _write(writer: Writer, deals: DealSet, out: Path, args: Namespace) -> None:
    write: Callable[[DealSet], bytes] = partial(dup.write, count=True) if args.dup_count else writer.write
    data = write(deals)
    _compare(writer, data, deals)
    write_new(out, data, ONLY_OURS, over=args.force, hint=_ANOTHER_NAME)
    if args.json:
        put_object({"event": "converted", "file": str(out), "format": writer.name, "boards": len(deals)}, sys.stdout)
    else:
        put(f"{out.name} is written: {boards_word(len(deals))} ({deals.range_text}) as {writer.name}, with all hands.")


def _writer_of(args: Namespace) -> Writer:
    """The format that --format names, else that of OUT's ending."""
    wanted = args.format or Path(args.out).suffix.removeprefix(".")
    names = ", ".join(writer.name.lower() for writer in WRITERS)
    found = [writer for writer in WRITERS if wanted.lower() in (writer.name.lower(), writer.suffix.removeprefix("."))]
    if not found:
        raise ConfigError(
            f"This program writes no format {wanted[:20]!r}." if wanted else "The ending of OUT tells no format.",
            key="--format",
            value=wanted,
            hint=f"Nothing was written. Name one of these with --format, or by the ending of OUT: {names}.",
        )
    if args.dup_count and found[0].name != "DUP":
        raise ConfigError("--dup-count is for DUP alone.", key="--dup-count", hint="Nothing was written. Leave it out.")
    return found[0]


def _refuse_to_overwrite(out: Path, args: Namespace) -> None:
    if not out.exists():
        return
    if args.file is not None and Path(args.file).exists() and out.samefile(args.file):
        raise ConfigError(
            "OUT is the file that is to be read.", key="OUT", hint="Nothing was written. Choose another name for OUT."
        )
    if not args.force:
        raise ConfigError(f"{out.name} is there already.", key="OUT", hint=_ANOTHER_NAME)


def _only_boards(deals: DealSet, args: Namespace) -> DealSet:
    if args.boards is None:
        return deals
    found = [(number, deals.find(number)) for number in args.boards]
    missing = [number for number, board in found if board is None]
    if missing:
        raise NothingOpen(
            f"The set has no board {', '.join(map(str, missing))}.", hint=f"It has the boards {deals.range_text}."
        )
    return replace(deals, boards=tuple(board for _, board in found if board is not None))


def _ask_about_losses(writer: Writer, deals: DealSet, args: Namespace) -> None:
    losses = writer.losses(deals)
    if not losses:
        return
    if not args.json:
        for sentence in losses:
            put(sentence)
    if args.lossy:
        return
    if not somebody_there(as_json=args.json):
        raise CannotBeWritten(
            f"{writer.name} cannot hold all of this set. {losses[0]}",
            path=args.out,
            hint="Nothing was written. Choose another format, or write it all the same with --lossy.",
        )
    if not ask_yes("Write it without that?"):
        raise CannotBeWritten(
            "Nothing was written, as you asked.", path=args.out, hint="PBN has room for every board and its markings."
        )


def _compare(writer: Writer, data: bytes, deals: DealSet) -> None:
    """Raises CannotBeWritten unless our reader finds these boards, and no others, in `data`."""
    reader = reader_of(data)
    read: list[Record] = []
    if reader is not None and reader.name == writer.name:
        contents = reader.read(data)
        read = [record for record in contents.records if not record.blank]
        numbered = not contents.by_place and all(record.number is not None for record in read)
        boards = sorted(deals, key=lambda board: board.number) if numbered else list(deals)
        if numbered:
            read.sort(key=lambda record: record.number or 0)
        if len(read) == len(boards) and all(
            _is_same(record, board, numbered=numbered) for record, board in zip(read, boards, strict=True)
        ):
            return
    raise CannotBeWritten(
        f"The {writer.name} file would not hold the same boards.",
        hint="Nothing was written. Choose another format, and tell whoever looks after this program.",
    )


def _is_same(record: Record, board: BoardDeal, *, numbered: bool) -> bool:
    """Whether the record is the board; what the format does not hold has been named as lost before."""
    return (
        record.deal == board.deal
        and (not numbered or record.number == board.number)
        and record.dealer in (None, board.dealer_to_use)
        and record.vulnerability in (None, board.vulnerability_to_use)
    )
