"""Board numbers, copies and pack colours as a person types them: "1-24,27", "A,B", "red,blue".

May import: the standard library. Read next: `parser.py`.
"""

from __future__ import annotations

from typing import Final

HIGHEST_BOARD: Final = 65_535
"""The highest board number that a machine can be told."""
MOST_BOARDS: Final = 1_000
MOST_COPIES: Final = 26
LONGEST_COPY: Final = 16
NO_COLOURS: Final = "none"


def parse_boards(text: str) -> tuple[int, ...]:
    """The numbers of a text such as "1-24,27" or "36-1", in its order. Raises ValueError with a sentence."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = (word.strip() for word in part.partition("-"))
        low = _number(first, text)
        high = _number(last, text) if dash else low
        if abs(high - low) >= MOST_BOARDS:
            raise ValueError(f"More than {MOST_BOARDS} boards at once are too many: {part.strip()}.")
        numbers += range(low, high + 1) if low <= high else range(low, high - 1, -1)
    twice = sorted({number for number in numbers if numbers.count(number) > 1}) if len(numbers) <= MOST_BOARDS else []
    if twice:
        raise ValueError(
            f"Board {twice[0]} is named twice in {text}; for a second board of the same deal use --copies."
        )
    if len(numbers) > MOST_BOARDS:
        raise ValueError(f"More than {MOST_BOARDS} boards at once are too many.")
    return tuple(numbers)


def parse_board(text: str) -> int:
    """One board number, 1 or more. Raises ValueError with a sentence."""
    return _number(text.strip(), text)


def parse_copies(text: str) -> tuple[str, ...]:
    """The copies of a text such as "A,B", "red,blue" or "T1,T2" for tables. Raises ValueError with a sentence."""
    copies = tuple(word.strip() for word in text.split(","))
    for copy in copies:
        if len(copy) > LONGEST_COPY or not (copy.isascii() and copy.isalnum() and copy[0].isalpha()):
            raise ValueError(f"Copies read like A,B or red,blue or T1,T2, a letter first, not {_shown(text)}.")
    if len(set(copies)) < len(copies):
        raise ValueError(f"The same copy is named twice in {text}.")
    if len(copies) > MOST_COPIES:
        raise ValueError(f"More than {MOST_COPIES} copies are too many.")
    return copies


def parse_colours(text: str) -> tuple[str, ...]:
    """The back colours of "red,blue", odd boards first; () for "none". Raises ValueError with a sentence."""
    if text.strip().casefold() == NO_COLOURS:
        return ()
    colours = tuple(word.strip() for word in text.split(","))
    if len(colours) != 2 or not all(word.isalpha() and len(word) <= LONGEST_COPY for word in colours):
        raise ValueError(f"Pack colours read like red,blue, odd boards first, or {NO_COLOURS}; not {_shown(text)}.")
    if colours[0].casefold() == colours[1].casefold():
        raise ValueError("Two different colours are needed, such as red,blue.")
    return colours


def _number(word: str, text: str) -> int:
    if not (word.isascii() and word.isdigit()) or len(word) > len(str(HIGHEST_BOARD)):
        raise ValueError(f"Boards read like 1-24,27, not {_shown(text)}.")
    number = int(word)
    if not 1 <= number <= HIGHEST_BOARD:
        raise ValueError(f"A board number is 1 to {HIGHEST_BOARD}, not {number}.")
    return number


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
