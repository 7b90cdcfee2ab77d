"""A run is started or continued: everything is checked first, then its folder is made, then its episodes run."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from runner import registry
from runner.execution.backend import Backend
from runner.execution.backends import backend
from runner.execution.founding import about, check_same, software
from runner.execution.lanes import Lanes
from runner.execution.listener import Accountant, Listener, Listeners
from runner.execution.mission import mission_of
from runner.execution.outage import OutageGate
from runner.execution.scheduler import Scheduler
from runner.execution.worker_config import WorkerConfig
from runner.plan.budget import BudgetGate, Gates, Spending, priced
from runner.plan.earlier_runs import read_earlier_runs
from runner.plan.expected import check_budget, models_of
from runner.plan.experiment import Experiment, check_agents, check_worlds
from runner.registry import engine
from runner.registry.identity import identities
from stressweb.core.browser_program import Browser, check_display, find_browser
from stressweb.core.errors import DiskFullError, UserError
from stressweb.log import exchange_file
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.log.run_folder import check_name, claimed, left_in, new_folder, resumed_plan
from stressweb.log.schedule import scheduled
from stressweb.log.store import FILE, Store
from stressweb.plugins.agent import Usage
from stressweb.plugins.backend import LOCAL


@dataclass(frozen=True)
class Place:
    """Where a run is kept and how it is carried out: nothing of it changes a result."""

    name: str | None = None
    """Name of the run's folder; made from date and conditions if not given."""
    runs_dir: Path = Path("runs")
    resume: bool = False
    """Whether the run of that name is continued."""
    workers: int | None = None
    """Number of worker processes; chosen by the number of cores if not given."""
    in_flight: int | None = None
    """Number of episodes that each worker runs at a time; chosen by cores, agents and memory if not given."""
    headed: bool = False
    """Whether the browser is shown."""
    backend: str = LOCAL
    """`local`: workers are processes on this machine. `ray`: they are on the machines of a Ray cluster. Plug-ins have
    others."""
    address: str | None = None
    """Where the machines of the backend are asked for: HOST:PORT of the Ray cluster."""
    record_llm: Path | None = None
    """File in which exchanges with language models are recorded."""
    replay_llm: Path | None = None
    """File from which they are replayed, without an endpoint."""


def checked(experiment: Experiment, place: Place, explicit_names: Collection[str], library: registry.Library) -> Plan:
    """Return the plan of a new or resumed run after checking everything that it needs; write nothing.

    `library` caches the worlds that are drawn. `explicit_names` are the options that a resumed run must have been
    started with.
    """
    kind = backend(place.backend)
    _check_files(place, remote=kind.remote)
    kind.check_address(place.address)
    if place.headed:
        if kind.remote:
            raise UserError(f"--headed shows a browser on this machine, and with --backend {kind.name} there is none")
        check_display()
    plan = experiment.plan()
    if place.name:
        # It becomes a folder, and must not lead out of the folder of runs.
        check_name(place.name)
    if place.resume:
        if not place.name:
            raise UserError("resume needs the name of the run: --run NAME")
        stated_plan, plan = plan, resumed_plan(place.runs_dir / place.name, plan, explicit_names)
        # The plan of a foreign run must not make agents ask models with the user's key.
        registry.check_recorded(plan.agents, plan.conditions)
        for command in (registry.command_of(agent) for agent in plan.agents if agent not in stated_plan.agents):
            if command:
                reason = f"run {place.name} runs a program, {command!r}"
                raise UserError(f"{reason}; give --agent-command again to continue it")
    if place.replay_llm:
        exchange_file.check(place.replay_llm, [cell.key for cell in plan.cells()])
    check_agents(plan, experiment.model, experiment.base_url, place.replay_llm)
    check_worlds(plan, library)
    # A resumed run has spent a part of its budget already, which the estimate of the whole plan does not know.
    if not place.resume:
        check_budget(experiment, plan, place.runs_dir)
    return plan


def _check_files(place: Place, *, remote: bool) -> None:
    """Raise UserError if exchanges with models can be neither recorded nor replayed as the user asks."""
    if place.record_llm and place.replay_llm:
        raise UserError("--record-llm and --replay-llm: what is replayed is recorded already; give one of them")
    if remote and (place.record_llm or place.replay_llm):
        name = "--record-llm" if place.record_llm else "--replay-llm"
        raise UserError(f"{name} is a file of this machine, which the machines of --backend {place.backend} have not")
    if place.record_llm:
        exchange_file.check_new(place.record_llm, resume=place.resume)


@dataclass(frozen=True)
class CarriedOut:
    """What became of a run."""

    folder: Path
    errors: int
    """Episodes that ended in error."""
    unrun: tuple[Cell, ...] = ()
    """Cells that were not run because the run stopped."""
    stopped: str = ""
    """Why the run stopped, in a few words: which limit of its budget was reached, or what keeps its episodes from
    running."""
    cure: str = ""
    """What to do before the run is continued."""


def carry_out(
    experiment: Experiment, plan: Plan, place: Place, library: registry.Library, listener: Listener
) -> CarriedOut:
    """Run the episodes of a checked plan that are not there yet, as far as its budget goes."""
    # Before the folder is made: without a browser, or a cluster that answers, nothing must be left behind.
    browser = find_browser()
    with backend(place.backend).opened(mission_of(experiment, plan), place.address) as machines:
        lanes = lanes_of(experiment, plan, place, machines)
        folder = _prepared(experiment, plan, place, library, browser)
        if place.record_llm:
            exchange_file.begin(place.record_llm)
        config = WorkerConfig(
            database=folder / FILE,
            browser=browser.path,
            plan=plan,
            headed=place.headed,
            base_url=experiment.base_url,
            record_llm=place.record_llm and place.record_llm.absolute(),
            replay_llm=place.replay_llm and place.replay_llm.absolute(),
            extensions=registry.EXTENSIONS.sources,
            parent=os.getpid(),
        )
        spending = Spending(experiment.budget, priced(experiment.prices, models_of(plan)))
        outage = OutageGate()
        listeners, gate = Listeners(Accountant(spending), outage, listener), Gates(BudgetGate(spending), outage)
        with claimed(folder):
            cells = _expected(folder, lanes, spending, listener)
            if cells:
                ordered = scheduled(cells, plan.epochs, read_earlier_runs(place.runs_dir).seconds)
                try:
                    Scheduler(config, ordered, lanes, machines, listeners, gate).run()
                except DiskFullError as error:
                    cure = f"free some space and continue with: stressweb run --resume --run {folder.name}"
                    raise DiskFullError(f"{error}; finished episodes are kept; {cure}") from error
            return _carried_out(folder, outage, spending)


def play(
    experiment: Experiment, place: Place, listener: Listener, library: registry.Library | None = None
) -> CarriedOut:
    """Check an experiment and run what of it is not there yet; raises UserError before anything is made.

    `library` keeps the worlds that are drawn meanwhile.
    """
    library = library or registry.Library()
    return carry_out(
        experiment, checked(experiment, place, experiment.explicit_names, library), place, library, listener
    )


def lanes_of(experiment: Experiment, plan: Plan, place: Place, machines: Backend) -> Lanes:
    """Return how many episodes of a plan run at a time; raises UserError for more than the machine can bear."""
    workers, in_flight = place.workers or experiment.workers, place.in_flight or experiment.in_flight
    own_browsers = any(map(registry.command_of, plan.agents))
    return machines.lanes(workers, in_flight, waits=bool(models_of(plan)), own_browsers=own_browsers)


def _expected(folder: Path, lanes: Lanes, spending: Spending, listener: Listener) -> list[Cell]:
    """Return the cells of a run that still have to run; say how many there are, and count what the others cost."""
    with Store.open(folder / FILE) as store:
        total, pending = len(store.cells()), store.pending()
        listener.expect(total, total - len(pending), lanes, spending)
        for cell, _, _, usage in store.costs():
            # What the run cost before it was interrupted counts, or each --resume would have the whole budget anew.
            spending.add(cell.agent, usage)
    return pending


def _carried_out(folder: Path, outage: OutageGate, spending: Spending) -> CarriedOut:
    """Return what became of a run that has ended."""
    left = left_in(folder)
    with Store.open(folder / FILE) as store:
        store.note("finished", engine.now())
    if outage.reason:
        return CarriedOut(folder, len(left.failed), left.unrun, outage.reason, "once that is mended")
    if not left.unrun:
        return CarriedOut(folder, len(left.failed))
    return CarriedOut(folder, len(left.failed), left.unrun, spending.spent, "with a larger budget")


def _prepared(experiment: Experiment, plan: Plan, place: Place, library: registry.Library, browser: Browser) -> Path:
    """Return the folder of a run with its database, made if it is a new run."""
    current_software = software(browser.version)
    if place.resume:
        folder = place.runs_dir / str(place.name)
        check_same(folder, plan, library, current_software)
        return folder
    cells, identified = plan.cells(), identities(library, plan)
    meta = {"started": engine.now(), **current_software, **about(library, plan)}
    if place.replay_llm:
        meta["replayed_llm"] = place.replay_llm.name
    if experiment.prices:
        price = priced(experiment.prices, models_of(plan))
        # By label, since curves are made offline, when only the recording is there.
        known = {agent.label: price(agent.label, Usage()) for agent in plan.agents}
        meta["prices"] = {label: agent_price.model_dump() for label, agent_price in known.items() if agent_price}
    # Only after everything that can fail, to leave no empty folder behind.
    folder = new_folder(place.runs_dir, place.name, experiment.name or ",".join(experiment.conditions))
    # With all cells before any runs, so that the file alone tells what is missing.
    Store.create(folder / FILE, meta, cells, identified).close()
    return folder
