"""From the records of a file to deal sets: each board number once, sessions apart, contradictions refused.

May import: `drafts.py`, `records.py`, `model.py`, `driver.errors`. Read next: `drafts.py`, then `loader.py`.

As long as no number comes with two different hands, a file is one set, whatever the order of its boards; the same
number with the same hands is one board (several tables, both rooms). Where a number comes again with other hands:

1. Under another event or date: each event and date is a set of its own.
2. Where the numbers start again, another set begins (sessions joined in one file): at the number that the set began
   with, or where a run of boards begins again at the lowest number or below, or is about as long as the set.
3. In the other room of a team match: one set for each room.
4. Else nobody can know which hands are meant, and the file is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from driver.deals.drafts import Draft, Entry, boards_text
from driver.deals.model import BadRecord, Deal, DealSet
from driver.deals.records import Contents, Record
from driver.errors import BadDeal


def sets_from(
    contents: Contents, *, name: str, path: str | None = None, first_board: int | None = None, fill: bool = False
) -> tuple[DealSet, ...]:
    """The deal sets of a file in their order; every set but a lone one has at least one board.

    `first_board` is the number of the first board where the file has no numbers (None: 1, with a note); `fill` makes a
    deal of a record with exactly one unknown hand. Records that cannot be dealt become problems of the set that they
    stand in. Raises BadDeal when one number has two different deals within a set; it names both places.
    """
    unnumbered = is_unnumbered(contents)
    if first_board is not None and (first_board - 1) % contents.first_board_step:
        raise BadDeal(
            "The file begins each deal with the dealer's hand, so its first board is 1, 5, 9 or so on.",
            path=path,
            hint="Nothing was dealt. Give one of these numbers.",
        )
    entries = _entries(contents, (first_board or 1) if unnumbered else None, fill=fill)
    drafts = [draft for stream in _streams(entries) for draft in _in_turn(stream, path)]
    drafts = _without_empty(sorted(drafts, key=lambda draft: draft.begins_at))
    _add_strays(drafts, contents.strays)

    general = list(contents.notes)
    if unnumbered:
        general.insert(0, _numbering_note(contents, first_board))
    skipped = sum(record.blank for record in contents.records)
    if skipped:
        general.append(f"Records without hands, left out: {skipped}.")
    unusual = [number for draft in drafts for number in draft.unusual]
    if unusual:
        told = "not the dealer and vulnerability that Law 2 gives; the file's are kept"
        general.append(f"{boards_text(unusual)}: {told}.")
    names = [name] if len(drafts) == 1 else [f"{name} (set {number})" for number in range(1, len(drafts) + 1)]
    return tuple(
        one for draft, set_name in zip(drafts, names, strict=True) for one in draft.finished(set_name, path, general)
    )


def is_unnumbered(contents: Contents) -> bool:
    """Whether the file gives none of its deals a board number, so that a person must say where the numbers begin."""
    if not any(not record.blank for record in contents.records):
        return False
    return contents.by_place or (not contents.strays and all(record.number is None for record in contents.records))


def fillable(contents: Contents) -> int:
    """How many records are no deal only because exactly one hand is not given."""
    return sum(record.deal is None and record.fill is not None for record in contents.records)


def _numbering_note(contents: Contents, first_board: int | None) -> str:
    labels = list(dict.fromkeys(record.board for record in contents.records if record.board))
    if first_board is not None:
        told = f"its first board is number {first_board}, as you said"
    else:
        told = "the deals are numbered 1, 2, 3 … in the order of the file"
    if labels and not contents.by_place:
        shown = (
            f'"{labels[0]}"' if len(labels) == 1 else f'"{labels[0]}", "{labels[1]}"{" …" if len(labels) > 2 else ""}'
        )
        return f"The file has no board numbers, it calls its boards {shown}: {told}."
    return f"The file has no board numbers: {told}."


def _entries(contents: Contents, first_board: int | None, *, fill: bool) -> list[Entry]:
    """The records that are meant as deals; numbered by their place from `first_board` on, unless that is None."""
    entries: list[Entry] = []
    event = date = ""
    for record in contents.records:
        if record.blank:
            continue
        event, date = record.event or event, record.date or date
        place = len(entries)
        number = record.number if first_board is None else first_board + _place_of(record, contents, place)
        filled = fill and record.deal is None and record.fill is not None
        entries.append(
            Entry(place, number, record, record.fill if filled else record.deal, filled=filled, event=event, date=date)
        )
    return entries


def _place_of(record: Record, contents: Contents, place: int) -> int:
    """How many boards come before; a format that numbers by place may have left a record out."""
    return record.number - 1 if contents.by_place and record.number is not None else place


def _streams(entries: Sequence[Entry]) -> list[list[Entry]]:
    """All entries together; or those of each event and date, where a number has different hands under two of them."""
    first: dict[int, Entry] = {}
    for entry in entries:
        if entry.number is None or entry.deal is None:
            continue
        there = first.setdefault(entry.number, entry)
        if there.deal != entry.deal and _title(there) != _title(entry):
            break
    else:
        return [list(entries)]
    streams: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        streams.setdefault(_title(entry), []).append(entry)
    return list(streams.values())


def _title(entry: Entry) -> tuple[str, str]:
    return entry.event, entry.date


def _in_turn(entries: Sequence[Entry], path: str | None) -> list[Draft]:
    """The sets of entries that follow each other; the numbers may start again. Raises BadDeal for a contradiction.

    Where a rising run begins again low, a set begins, and where the first number comes again with other hands. In files
    whose boards are in another order than by number the first sign misleads, and cuts more sets than there are.
    """
    ways: list[list[Draft]] = []
    refusal: BadDeal | None = None
    for by_runs in (True, False):
        try:
            ways.append(_split(entries, path, by_runs=by_runs))
            if len(ways[0]) == 1:
                break
        except BadDeal as error:
            refusal = refusal or error
    if refusal is not None and not ways:
        raise refusal
    return min(ways, key=len)


def _split(entries: Sequence[Entry], path: str | None, *, by_runs: bool) -> list[Draft]:
    drafts = [Draft()]
    coming = _next_deals(entries)
    runs = _runs(entries) if by_runs else {}
    for place, entry in enumerate(entries):
        draft, end = drafts[-1], runs.get(place)
        if _is_the_first_again(draft, entry, coming[place + 1]) or (
            end is not None and _is_another_set(draft, entries[place:end])
        ):
            drafts.append(Draft())
        drafts[-1].add(entry, path)
    return drafts


def _next_deals(entries: Sequence[Entry]) -> list[Entry | None]:
    """For each place, and one past the end: the first entry from there on that has a number and a deal."""
    found: list[Entry | None] = [None] * (len(entries) + 1)
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        found[place] = entry if entry.number is not None and entry.deal is not None else found[place + 1]
    return found


def _runs(entries: Sequence[Entry]) -> dict[int, int]:
    """Where the numbers go back, and where they go back the next time: first place and end of each later run."""
    starts: list[int] = []
    before = 0
    for place, entry in enumerate(entries):
        if entry.number is not None:
            if entry.number < before:
                starts.append(place)
            before = entry.number
    return dict(pairwise([*starts, len(entries)]))


def _is_the_first_again(draft: Draft, entry: Entry, coming: Entry | None) -> bool:
    """Whether `entry` has the number that the draft began with and other hands; `coming` is the next whole deal."""
    if entry.number is None or entry.number != draft.first or entry.number == draft.last:
        return False
    there = draft.boards.get(entry.number)
    if there is not None and entry.deal is not None:
        return there.deal != entry.deal
    # One of the two is damaged: the next whole deal shows whether it is the same set once more or another one.
    if coming is None or coming.number is None:
        return False
    after = draft.boards.get(coming.number)
    return after is not None and after.deal != coming.deal


def _is_another_set(draft: Draft, run: Sequence[Entry]) -> bool:
    """Whether a run of rising numbers is the beginning of another set than the draft."""
    whole: dict[int, Deal] = {
        entry.number: entry.deal for entry in run if entry.number is not None and entry.deal is not None
    }
    met = [draft.boards[number].deal == deal for number, deal in whole.items() if number in draft.boards]
    if not met or any(met):
        return False
    # A few boards in the middle with other hands are no session but a correction: that is for a person to settle.
    begins_low = run[0].number is not None and run[0].number <= draft.lowest
    return begins_low or (len(met) > 1 and 2 * len(whole) >= len(draft.boards))


def _without_empty(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts that have boards; problems of the others go to the one before, else to the first that has some."""
    kept: list[Draft] = []
    homeless: list[BadRecord] = []
    for draft in drafts:
        if draft.boards:
            draft.problems[:0] = homeless
            homeless = []
            kept.append(draft)
        elif kept:
            kept[-1].problems += draft.problems
        else:
            homeless += draft.problems
    return kept or [Draft(problems=homeless)]


def _add_strays(drafts: Sequence[Draft], strays: Sequence[BadRecord]) -> None:
    """Board numbers without hands are problems, unless a deal or a problem of that number is there already."""
    known = {text for draft in drafts for text in (*map(str, draft.boards), *(bad.board for bad in draft.problems))}
    for stray in strays:
        if (stray.board.lstrip("0") or stray.board) not in known:
            drafts[-1].problems.append(stray)
