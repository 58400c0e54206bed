"""Several machines of one host, opened over one store and one journal: one program, one writer.

May import: `machine`, `several`, `controls`, `journal`, `store`, `transport`. Read next: `several.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from driver.clock import Clock, SystemClock, utc_now
from driver.controls import Controls
from driver.data_folder import data_folder
from driver.deals.model import DealSet
from driver.errors import ConfigError
from driver.happenings import Options
from driver.journal import Journal
from driver.machine import Machine, MachineInfo, order_for, work_for, work_left
from driver.queue import Order
from driver.recorder import Recorder
from driver.several import SeveralJobs
from driver.store.store import Store
from driver.transport.base import Transport
from driver.transport.reopen import Reopening
from driver.work import Work


class Machines:
    """Machines that answered HELLO, by the names that a person gives them. Use it in `with`, or close it.

    `asks` as in `SeveralJobs`. What `Machine` deals alone, they deal together; errors as there.
    """

    def __init__(self, machines: Mapping[str, Machine], journal: Journal, store: Store, *, asks: bool = True) -> None:
        self.machines = dict(machines)
        self.journal = journal
        self.store = store
        self._asks = asks

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(
        self,
        deals: DealSet,
        boards: Iterable[int] | None = None,
        *,
        copies: Sequence[str] = ("",),
        as_board: int | None = None,
        order: Order = Order.BOX_BY_BOX,
        descending: bool = False,
        auto: bool = False,
        ask_each: bool = False,
        emptied: bool = False,
        more_packs: bool = False,
        other_hands: Mapping[str, DealSet] | None = None,
        left_out: Collection[tuple[int, str]] = (),
    ) -> SeveralJobs:
        """One job that all of them deal: as `Machine.start`, each board copy on whichever machine is free for it."""
        ordered = order_for(deals, boards, copies, as_board, order=order, descending=descending, left_out=left_out)
        work = work_for(self.journal, self.store, deals, ordered, other_hands, self._infos)
        return self.job_of(work, Options(auto=auto, ask_each=ask_each, emptied=emptied), more_packs=more_packs)

    def carry_on(
        self,
        job: int,
        deals: DealSet,
        *,
        other_hands: Mapping[str, DealSet] | None = None,
        auto: bool = False,
        ask_each: bool = False,
        more_packs: bool = False,
    ) -> SeveralJobs:
        """As `Machine.carry_on`, on all of them."""
        work = work_left(self.journal, self.store, job, deals, other_hands, self._infos)
        return self.job_of(work, Options(auto=auto, ask_each=ask_each), more_packs=more_packs)

    def job_of(self, work: Work, options: Options, *, more_packs: bool = False) -> SeveralJobs:
        """The jobs that deal `work` together."""
        jobs = {name: machine.job_of(work, options, more_packs=more_packs) for name, machine in self.machines.items()}
        serials = {name: machine.info.serial for name, machine in self.machines.items()}
        return SeveralJobs(jobs, serials, work, asks=self._asks)

    @property
    def _infos(self) -> list[MachineInfo]:
        return [machine.info for machine in self.machines.values()]

    def close(self) -> None:
        """Ends the connections and gives journal and store back."""
        for machine in self.machines.values():
            machine.close()


def open_machines(
    ways: Mapping[str, str | Callable[[], Transport]],
    *,
    data: Path | None = None,
    clocks: Mapping[str, Clock] | None = None,
    recorders: Mapping[str, Recorder] | None = None,
    serials: Mapping[str, str] | None = None,
    asks: bool = True,
) -> Machines:
    """Opens the machine of each name, at an address or by a function that opens a transport; nothing moves.

    `serials` says which machine has to answer, where that is known by its name; `asks` as in `SeveralJobs`. Raises as
    `open_machine`, and ConfigError when two of them are the same machine.
    """
    with ExitStack() as undo:
        store = undo.enter_context(Store(data_folder() if data is None else data, now=utc_now))
        journal = undo.enter_context(Journal(store))
        machines: dict[str, Machine] = {}
        for name, way in ways.items():
            transport = Reopening(way) if isinstance(way, str) else way
            clock = (clocks or {}).get(name) or SystemClock()
            controls = Controls(
                transport, clock, (recorders or {}).get(name) or Recorder(), serial=(serials or {}).get(name)
            )
            undo.callback(controls.close)
            controls.connect()
            machines[name] = Machine(controls, journal, store)
        if len({machine.info.serial for machine in machines.values()}) < len(machines):
            raise ConfigError(
                "Two of these names are the same machine.", key="machine", hint="Nothing moved. Name each machine once."
            )
        undo.pop_all()
    return Machines(machines, journal, store, asks=asks)
