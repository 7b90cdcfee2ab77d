"""Starts or resumes a run: checks everything first, then creates the folder, then runs the episodes."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from stressweb.core.browser_program import Browser, check_display, find_browser
from stressweb.core.errors import DiskFullError, UserError
from stressweb.core.program_name import program_name
from stressweb.log import exchange_file
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.log.run_folder import check_free, check_name, claimed, left_in, new_folder, resumed_plan
from stressweb.log.schedule import scheduled
from stressweb.log.store import FILE, Store
from stressweb.plugins.agent import Usage
from stressweb.plugins.backend import LOCAL
from stressweb.runner import registry
from stressweb.runner.execution.backend import Backend
from stressweb.runner.execution.backends import backend
from stressweb.runner.execution.founding import about, check_same, software
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.execution.listener import Accountant, Listener, Listeners
from stressweb.runner.execution.mission import mission_of
from stressweb.runner.execution.outage import OutageGate
from stressweb.runner.execution.scheduler import Scheduler
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.plan.budget import BudgetGate, Gates, Spending, priced
from stressweb.runner.plan.earlier_runs import read_earlier_runs
from stressweb.runner.plan.expected import check_budget, models_of
from stressweb.runner.plan.experiment import Experiment, check_agents, check_worlds
from stressweb.runner.registry import engine
from stressweb.runner.registry.identity import Identities, identities


@dataclass(frozen=True)
class Place:
    """Where to store a run and how to execute it. None of these settings affects results."""

    name: str | None = None
    """Name of the run's folder; by default made from the date and the conditions."""
    runs_dir: Path = Path("runs")
    resume: bool = False
    """Whether to resume the run of that name."""
    workers: int | None = None
    """Number of worker processes; by default chosen by the number of cores."""
    in_flight: int | None = None
    """Number of concurrent episodes in each worker; by default chosen by cores, agents and memory."""
    headed: bool = False
    """Whether to show the browser's window."""
    backend: str = LOCAL
    """`local`: workers are processes on this machine. `ray`: workers run on a Ray cluster. Plug-ins can add others."""
    address: str | None = None
    """Address of the backend's machines: HOST:PORT of the Ray cluster."""
    record_llm: Path | None = None
    """File in which exchanges with language models are recorded."""
    replay_llm: Path | None = None
    """File from which they are replayed, without an endpoint."""


def checked(experiment: Experiment, place: Place, explicit_names: Collection[str], library: registry.Library) -> Plan:
    """Check everything that a new or resumed run needs, and return its plan; write nothing.

    `library` caches the worlds that are drawn. `explicit_names` are the options that the user set explicitly; a resumed
    run must have the same values.
    """
    backend_class = backend(place.backend)
    _check_files(place, remote=backend_class.remote)
    backend_class.check_address(place.address)
    if place.headed:
        if backend_class.remote:
            raise UserError(
                f"--headed shows a browser on this machine, and with --backend {backend_class.name} there is none"
            )
        check_display()
    plan = experiment.plan()
    if place.name:
        # The name becomes a folder, which must be inside the folder of runs.
        check_name(place.name)
    if place.resume:
        if not place.name:
            raise UserError("resume needs the name of the run: --run NAME")
        stated_plan, plan = plan, resumed_plan(place.runs_dir / place.name, plan, explicit_names)
        # The plan of someone else's run must not make agents use models with the user's key.
        registry.check_recorded(plan.agents, plan.conditions)
        for command in (registry.command_of(agent) for agent in plan.agents if agent not in stated_plan.agents):
            if command:
                reason = f"run {place.name} runs a program, {command!r}"
                raise UserError(f"{reason}; give --agent-command again to continue it")
    if place.replay_llm:
        exchange_file.check(place.replay_llm, [cell.key for cell in plan.cells()])
    check_agents(plan, experiment.model, experiment.base_url, place.replay_llm)
    check_worlds(plan, library)
    # The estimate covers the whole plan, of which a resumed run has already spent a part.
    if not place.resume:
        check_budget(experiment, plan, place.runs_dir)
    return plan


def check_new(place: Place) -> None:
    """Raise UserError if a new run has the name of an existing one.

    Before `checked`, which draws worlds and so needs seconds.
    """
    if place.name and not place.resume:
        check_name(place.name)
        check_free(place.runs_dir / place.name)


def _check_files(place: Place, *, remote: bool) -> None:
    """Raise UserError if exchanges with models cannot be recorded or replayed as requested."""
    if place.record_llm and place.replay_llm:
        raise UserError("--record-llm and --replay-llm cannot be combined: replayed exchanges are recorded already")
    if remote and (place.record_llm or place.replay_llm):
        name = "--record-llm" if place.record_llm else "--replay-llm"
        raise UserError(f"{name} names a file of this machine, which the machines of --backend {place.backend} lack")
    if place.record_llm:
        exchange_file.check_new(place.record_llm, resume=place.resume)


@dataclass(frozen=True)
class CarriedOut:
    """The outcome of a run."""

    folder: Path
    errors: int
    """Number of episodes that ended in an error."""
    unrun: tuple[Cell, ...] = ()
    """Cells that were not run because the run stopped."""
    stopped: str = ""
    """Why the run stopped, in a few words: the budget limit that was reached, or the reason why episodes cannot run."""
    cure: str = ""
    """What to do before resuming the run."""


def carry_out(
    experiment: Experiment, plan: Plan, place: Place, library: registry.Library, listener: Listener
) -> CarriedOut:
    """Run the missing episodes of a checked plan within its budget."""
    # Check the browser and the backend before creating the folder, so that a failure leaves nothing behind.
    browser = find_browser()
    with backend(place.backend).opened(mission_of(experiment, plan), place.address) as machines:
        lanes = lanes_of(experiment, plan, place, machines)
        folder = _prepare_folder(experiment, plan, place, library, browser)
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
            cells = _pending_cells(folder, lanes, spending, listener)
            if cells:
                ordered = scheduled(cells, plan.epochs, read_earlier_runs(place.runs_dir).seconds)
                try:
                    Scheduler(config, ordered, lanes, machines, listeners, gate, library).run()
                except DiskFullError as error:
                    cure = f"free some space and continue with: {program_name()} run --resume --run {folder.name}"
                    raise DiskFullError(f"{error}; finished episodes are kept; {cure}") from error
            return _carried_out(folder, outage, spending)


def play(
    experiment: Experiment, place: Place, listener: Listener, library: registry.Library | None = None
) -> CarriedOut:
    """Check an experiment and run its missing episodes; raise UserError before anything is created.

    `library` caches the worlds that are drawn.
    """
    library = library or registry.Library()
    check_new(place)
    return carry_out(
        experiment, checked(experiment, place, experiment.explicit_names, library), place, library, listener
    )


def lanes_of(experiment: Experiment, plan: Plan, place: Place, machines: Backend) -> Lanes:
    """Return how many episodes of a plan run at a time; raise UserError for more than the machine can run."""
    workers, in_flight = place.workers or experiment.workers, place.in_flight or experiment.in_flight
    own_browsers = any(map(registry.command_of, plan.agents))
    return machines.lanes(workers, in_flight, waits=bool(models_of(plan)), own_browsers=own_browsers)


def _pending_cells(folder: Path, lanes: Lanes, spending: Spending, listener: Listener) -> list[Cell]:
    """Return the pending cells of a run; report the numbers to the listener, and add the cost of finished episodes."""
    with Store.open(folder / FILE) as store:
        total, pending = len(store.cells()), store.pending()
        listener.expect(total, total - len(pending), lanes, spending)
        for cell, _, _, usage in store.costs():
            # Count the cost before the interruption; otherwise each --resume would get the whole budget again.
            spending.add(cell.agent, usage)
    return pending


def _carried_out(folder: Path, outage: OutageGate, spending: Spending) -> CarriedOut:
    """Return the outcome of a run that has ended."""
    remaining = left_in(folder)
    with Store.open(folder / FILE) as store:
        store.note("finished", engine.now())
    if outage.reason:
        return CarriedOut(folder, len(remaining.failed), remaining.unrun, outage.reason, "once that is mended")
    if not remaining.unrun:
        return CarriedOut(folder, len(remaining.failed))
    return CarriedOut(folder, len(remaining.failed), remaining.unrun, spending.spent, "with a larger budget")


def _prepare_folder(
    experiment: Experiment, plan: Plan, place: Place, library: registry.Library, browser: Browser
) -> Path:
    """Return the folder of a run with its database; create both for a new run."""
    current_software = software(browser.version)
    if place.resume:
        folder = place.runs_dir / str(place.name)
        check_same(folder, plan, library, current_software)
        return folder
    # One object for both, because it hashes each part once.
    cells, cell_identities = plan.cells(), Identities.of_plan(library, plan)
    identified = identities(library, plan, cell_identities)
    meta = {"started": engine.now(), **current_software, **about(library, plan, cell_identities)}
    if place.replay_llm:
        meta["replayed_llm"] = place.replay_llm.name
    price = priced(experiment.prices, models_of(plan))
    # Store prices by label, because curves are drawn offline from the recording alone.
    by_label = {agent.label: price(agent.label, Usage()) for agent in plan.agents}
    if prices := {label: agent_price.model_dump() for label, agent_price in by_label.items() if agent_price}:
        meta["prices"] = prices
    # Do this after everything that can fail, to leave no empty folder behind.
    folder = new_folder(place.runs_dir, place.name, experiment.name or ",".join(experiment.conditions))
    # Store all cells before any runs, so that the file alone shows which are missing.
    Store.create(folder / FILE, meta, cells, identified).close()
    return folder
