"""What a simulated machine has and senses: the facts behind IDENTITY, and four named machines.

May import: protocol and the standard library. Read next: `core.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocol.codes import BoardSensing, Feature, HopperSensing, LedgerKind, PocketSensing, Recognition
from protocol.constants import CARD_LIMIT, MAX_FRAME, MINOR, RING_SIZE
from protocol.messages import Identity


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of machine; the defaults sense everything.

    `threshold`: confidence 1 … 255 from which a reading counts, 0 = none given. `card_ms` and `card_limit_ms` in
    milliseconds, `ring` in events. Texts are ASCII, at most 16 characters.
    """

    serial: str = "SIM-0001"
    model: str = "Simulated dealer"
    firmware: str = "sim 1.0"
    recognition: Recognition = Recognition.PATH
    ledger: LedgerKind = LedgerKind.CARD
    pockets: PocketSensing = PocketSensing.SENSED
    board: BoardSensing = BoardSensing.NUMBER
    hopper: HopperSensing = HopperSensing.EMPTY
    features: Feature = (
        Feature.BACKS
        | Feature.THICKNESS
        | Feature.STOP_CARD
        | Feature.COVER
        | Feature.KEYS
        | Feature.LOG
        | Feature.SIMULATED
    )
    threshold: int = 100
    card_ms: int = 100
    card_limit_ms: int = CARD_LIMIT
    ring: int = RING_SIZE

    def has(self, feature: Feature) -> bool:
        """True when the machine has that sensor or channel."""
        return bool(self.features & feature)

    def __deepcopy__(self, memo: object) -> Profile:
        return self

    def identity(self) -> Identity:
        """The answer to IDENTIFY."""
        return Identity(
            minor=MINOR,
            model=self.model,
            firmware=self.firmware,
            frame_limit=MAX_FRAME,
            ring=self.ring,
            in_flight=1,
            prefetch=0,
            card_limit_ms=self.card_limit_ms,
            card_ms=self.card_ms,
            threshold=self.threshold,
            recognition=self.recognition,
            ledger=self.ledger,
            pockets=self.pockets,
            board=self.board,
            hopper=self.hopper,
            features=self.features,
        )


FULL: Final = Profile()
"""Everything is sensed (P+R)."""

R_ONLY: Final = Profile(
    model="Simulated R",
    pockets=PocketSensing.NO,
    board=BoardSensing.PRESENCE,
    features=Feature.COVER | Feature.KEYS | Feature.SIMULATED,
)
"""Cards are read, pockets are not sensed."""

P_ONLY: Final = Profile(
    model="Simulated P",
    recognition=Recognition.NONE,
    board=BoardSensing.PRESENCE,
    features=Feature.COVER | Feature.KEYS | Feature.SIMULATED,
    threshold=0,
)
"""Pockets are sensed, cards are not read: it deals by order only."""

BARE: Final = Profile(
    model="Simulated bare",
    recognition=Recognition.NONE,
    ledger=LedgerKind.NONE,
    pockets=PocketSensing.NO,
    board=BoardSensing.NONE,
    hopper=HopperSensing.NO,
    features=Feature.SIMULATED,
    threshold=0,
)
"""Nothing is sensed but the card path, and no ledger is kept."""

PROFILES: Final = {"full": FULL, "r-only": R_ONLY, "p-only": P_ONLY, "bare": BARE}
"""The named machines, by the names that scenarios and the command line use."""
