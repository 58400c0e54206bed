"""Whole files of every format that is read, to be wounded, and the pieces of which hostile ones are made.

May import: `driver.deals` (the writers), `tests.support`, the standard library. Read next: `wounds.py`.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, replace
from typing import Final

from driver.deals.formats.registry import WRITERS
from driver.deals.model import Deal, DealSet, Vulnerability
from protocol.cards import Seat
from tests.support.deal_sets import deal, deal_set
from tests.unit.deal_texts import HANDS, LIN_HANDS, LIN_OTHER, OTHER

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_NUMBERS: Final = (1, 2, 3, 4)
_DEALS: Final = tuple(deal(number) for number in _NUMBERS)


@dataclass(frozen=True, slots=True)
class Target:
    """What is shot at: the reader's name, whole files that it reads, and pieces that mean something to it."""

    name: str
    samples: tuple[bytes, ...]
    pieces: tuple[bytes, ...]


def written(name: str, deals: DealSet) -> bytes:
    """The set in that format."""
    return next(writer for writer in WRITERS if writer.name == name).write(deals)


def _hands(one: Deal) -> list[str]:
    return one.hands_as_pbn()[2:].split()


def _two_bits(one: Deal, turn: int) -> bytes:
    owners = one.owners
    return bytes(sum((owners[13 * suit + rank] + turn) % 4 << 6 - 2 * suit for suit in range(4)) for rank in range(13))


def _rzd(*several: Deal) -> bytes:
    return len(several).to_bytes(2, "little") + b" " * 11 + b"".join(_two_bits(one, 0) for one in several)


def _cds(*several: Deal) -> bytes:
    return b"".join(bytes((number,)) + _two_bits(one, 1) for number, one in enumerate(several, start=1))


def _ber(*several: Deal) -> bytes:
    return b"".join(bytes(b"1234"[owner] for owner in one.owners) for one in several)


def _bhg(*several: Deal) -> bytes:
    lines = []
    for place, one in enumerate(several):
        seats = [(place + turn) % 4 for turn in range(4)]
        lines.append("".join(_LETTERS[card] for seat in seats for card in range(52) if one.owners[card] == seat))
    return ("\n" + "\n".join(lines) + "\n").encode()


def _lettered(*several: Deal) -> str:
    lines = (" ".join(f"{seat} {hand}" for seat, hand in zip("nesw", _hands(one), strict=True)) for one in several)
    return "\n".join(lines)


def _in_zip(**files: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_", "."), data)
    return target.getvalue()


_SET: Final = deal_set(_NUMBERS, event="Tuesday Pairs")
_MARKED: Final = replace(
    _SET,
    boards=tuple(replace(board, dealer=Seat.SOUTH, vulnerability=Vulnerability.ALL) for board in _SET),
)
_WRITTEN: Final = {name: written(name, _SET) for name in ("PBN", "DUP", "DLM", "BRI", "DGE", "LIN", "CSV")}

_PBN: Final = f"""\
% PBN 2.1
% EXPORT
%Content-type: text/x-pbn; charset=UTF-8
[Event "Spielabend  März"]
[Board "1"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "{HANDS}"]
{{A comment over
two lines [Board "9"] }}
[Score "NS -420"] ; the rest is a comment
[Auction "N"]
1C =1= Pass 1H Pass
[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]
N NT 7

[Event "#"]
[Board "2"]
[Deal "E:{" ".join([*OTHER[2:].split()[1:], OTHER[2:].split()[0]])}"]

*
[Board "3"]
[Deal "N:{HANDS[2:].split()[0]} - - -"]
"""
_HAND_VIEWER: Final = f"https://www.bridgebase.com/tools/handviewer.html?lin=md%7C1{LIN_HANDS}%7Csv%7Ce%7Cah%7CBoard+7"
_VUGRAPH: Final = (
    "vg|Cup,Final,I,1,2,Home,0,Away,0|\nrs|4SN=,3NTW-1|\npn|a,b,c,d,e,f,g,h|pg||\n"
    f"qx|o1,Board 1|md|3{LIN_HANDS}|sv|o|mb|p|mb|1S!|an|five|pc|SA|pg||\n"
    f"qx|c1|md|3{LIN_HANDS}|sv|o|pg||\nqx|o2|md|4{LIN_OTHER}|sv|n|pg||\n"
)
_BRIDGEMATE: Final = (
    "Section,Board,NorthSpades,NorthHearts,NorthDiamonds,NorthClubs,EastSpades,EastHearts,EastDiamonds,EastClubs,"
    "SouthSpades,SouthHearts,SouthDiamonds,SouthClubs,WestSpades,WestHearts,WestDiamonds,WestClubs\n"
    + "".join(
        f"1,{number},{','.join(suit for hand in _hands(one) for suit in hand.split('.'))}\n"
        for number, one in zip(_NUMBERS, _DEALS, strict=True)
    )
)
_BLIND: Final = b"".join(
    _WRITTEN["DUP"][place : place + 78] + b" " * 68 + _WRITTEN["DUP"][place + 146 : place + 156]
    for place in range(0, len(_WRITTEN["DUP"]), 156)
)
_BARRED: Final = "\n".join("|".join(hand.replace(".", " ") for hand in _hands(one)) for one in _DEALS)
_GIB: Final = "\n".join(" ".join([_hands(one)[3], *_hands(one)[:3]]) + ":" + "01234567890123456789" for one in _DEALS)
_DDS: Final = "NUMBER 2\n" + "".join(f'PBN 0 {n} 4 0 "{one.hands_as_pbn()}"\nFUT 1 2\n' for n, one in enumerate(_DEALS))

TARGETS: Final = (
    Target(
        "PBN",
        (_WRITTEN["PBN"], written("PBN", _MARKED), _PBN.encode(), _PBN.encode("utf-16")),
        (
            b'[Board "',
            b'[Deal "N:',
            b'"]',
            b"{",
            b"}",
            b";",
            b"%",
            b"\\",
            b"<PBN>",
            b'[Event "##"]\n',
            b"- - - -",
            b"10",
        ),
    ),
    Target(
        "DUP", (_WRITTEN["DUP"], _BLIND), (b" " * 68, b"\x00" * 10, b"YN1  1 36 ", b"\x06\x03\x04\x05", b"53", b"\x1a")
    ),
    Target(
        "DLM",
        (_WRITTEN["DLM"],),
        (b"[Document]\r\n", b"From board=", b"To board=", b"Board 01=", b"Crypto key=1\r\n", b"a" * 26, b"=", b"000"),
    ),
    Target("BRI", (_WRITTEN["BRI"],), (b"00", b"53", b" " * 50, b"\x00" * 32, b"\r\n", b"\x1a")),
    Target("DGE", (_WRITTEN["DGE"],), (b"\x06", b"\x03\x04\x05", b"AKQJT98765432", b" " * 60, b"\x00" * 60, b"10")),
    Target("RZD", (_rzd(*_DEALS),), (b" " * 11, b"\xff\xff", b"\x00" * 13, b"\x1a")),
    Target("CDS", (_cds(*_DEALS),), (b"\x00", b"\xff" * 14, b"\x1a")),
    Target("BER", (_ber(*_DEALS), _ber(*_DEALS) + b"\r\n"), (b"1", b"5", b"0", b"\n", b"1234" * 13)),
    Target("BHG", (_bhg(*_DEALS),), (b"\n", b"\r", b"A", _LETTERS.encode())),
    Target(
        "LIN",
        (_WRITTEN["LIN"], _VUGRAPH.encode(), _HAND_VIEWER.encode()),
        (
            b"|",
            b"md|",
            b"qx|o1|",
            b"bn|1,2|",
            b"ah|Board 9|",
            b"%7C",
            b"?lin=",
            b"&n=S",
            b",",
            b"SAHAD",
            b"sv|0|",
            b"mc|9|",
        ),
    ),
    Target(
        "CSV",
        (_WRITTEN["CSV"], _BRIDGEMATE.encode()),
        (b",", b'"', b'""', b";", b"\t", b"Board", b"1,"),
    ),
    Target("dealer text", (_lettered(*_DEALS).encode(),), (b"n ", b"e", b" ... ", b".", b"\n", b"Generated 4 hands\n")),
    Target("deal text", (_BARRED.encode(),), (b"|", b" ", b"   ", b"AKQJT98765432", b"\n")),
    Target("GIB text", (_GIB.encode(),), (b":", b".", b" ", b"...", b"0" * 20, b"\n")),
    Target("DDS list", (_DDS.encode(),), (b"PBN ", b'"', b"NUMBER ", b"N:", b"99 ", b"- ")),
)
ARCHIVE: Final = Target(
    "ZIP",
    (_in_zip(one_pbn=_WRITTEN["PBN"]), _in_zip(one_dup=_WRITTEN["DUP"], two_lin=_WRITTEN["LIN"], read_me=b"Hello.")),
    (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\xff\xff\xff\xff", b"\x01\x00", b"\x63\x00", b"../", b"one.pbn"),
)
