"""An ARM as the driver would send it, for hosts that a test plays itself.

May import: driver.plan, driver.deals, protocol. Read next: `wire_host.py`.
"""

from __future__ import annotations

from driver.deals.model import DealSet
from driver.plan import Plan
from protocol.codes import Confirmation
from protocol.constants import NOT_PUT_BACK
from protocol.messages import Arm

RUN = 0x7E57_0000_0001


def arm_for(deals: DealSet, board: int, *, last_event: int, run: int = RUN) -> Arm:
    """The ARM of a new run of that board by identity; a person confirmed all that a person can."""
    dealt = deals.find(board)
    assert dealt is not None
    plan = Plan.by_identity(board, dealt.deal)
    return Arm(
        run=run,
        plan_tag=bytes(range(8)),
        board=board,
        routing=plan.routing,
        on_anomaly=plan.on_anomaly,
        more_packs=False,
        confirmed=Confirmation.BOARD_NUMBER | Confirmation.POCKETS_EMPTY | Confirmation.HOPPER_LOADED,
        put_back=NOT_PUT_BACK,
        first=0,
        last_event=last_event,
        destinations=plan.destinations(),
    )
