"""`stressweb nightly`: compares tonight's tasks with the pinned baseline; writes the history and its page."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from stressweb.analysis.comparison_text import agent_text, sentence, share
from stressweb.analysis.margin import margin_lines
from stressweb.analysis.nights import AgentNight, Night
from stressweb.analysis.wording import families_text
from stressweb.core.errors import UserError
from stressweb.core.whole_file import write_atomically
from stressweb.core.words import counted
from stressweb.report.junit import Case, junit
from stressweb.runner.api.start import OPTIONS, Experiment, read_experiment
from stressweb.runner.commands.compare import say_failing
from stressweb.runner.commands.output import say
from stressweb.runner.commands.progress import progress
from stressweb.runner.nightly.design import AGENTS, CONDITIONS, SIZE, Design, plan_in
from stressweb.runner.nightly.history import History
from stressweb.runner.nightly.night import Nightly, NotComparableError, status_of
from stressweb.runner.nightly.output import PAGE, SUITE, write
from stressweb.runner.registry import Library

NOT_COMPARABLE = 3


def run_night(options: Mapping[str, Any], explicit_names: Collection[str]) -> int:
    """Run a night with the command line's options; `explicit_names` are the options that are not defaults.

    Returns 0, or 1 for an open regression, or 3 if tonight is not comparable. Raises UserError before anything is
    written.
    """
    history = History(options["history"])
    new = options["new_baseline"] or history.baseline() is None
    design = _design(options, explicit_names, check_tasks=new)
    with progress(quiet=options["as_json"] or options["dry_run"]) as tally:
        nightly = Nightly(design, history, Library(), tally, options["workers"])
        if options["dry_run"]:
            return _dry_run(nightly, new=options["new_baseline"], as_json=options["as_json"])
        # Before the folder is created.
        design.check(new=new)
        candidate = nightly.candidate(options["baseline"], options["runs_dir"]) if options["baseline"] else None
        with history.locked():
            try:
                night = _night(nightly, candidate, new=options["new_baseline"])
            except NotComparableError as error:
                # Otherwise a build server that reads only this file would see last night's success.
                write_atomically(history.folder / SUITE, junit({"nightly": [Case("comparable", "error", str(error))]}))
                say(f"stressweb: not comparable: {error}", err=True)
                return NOT_COMPARABLE
            # While the folder is locked, since another night would write the same two files.
            write(history)
    return _print_night(night, history, as_json=options["as_json"])


def _design(options: Mapping[str, Any], explicit_names: Collection[str], *, check_tasks: bool) -> Design:
    """Return the design from options and experiment file; options override the file."""
    fields = {option: name for name, option in OPTIONS.items()}
    changes = {fields.get(name, name): options[name] for name in explicit_names if fields.get(name, name) in _FIELDS}
    changes |= {name: (changes[name],) for name in (*fields.values(), "exclude") if name in changes}
    file: Path | None = options["experiment"]
    stated = {
        **(read_experiment(file, check_tasks=check_tasks).model_dump(exclude_unset=True) if file else {}),
        **changes,
    }
    whole = {"agents": AGENTS, "conditions": CONDITIONS, **stated}
    # For a night, `limit` is its number of tasks; the experiment itself must have all tasks.
    size = whole.pop("limit", None) or SIZE
    return Design(Experiment.model_validate(whole), size, frozenset(stated))


_FIELDS = frozenset(Experiment.model_fields)


def _night(nightly: Nightly, candidate: Path | None, *, new: bool) -> Night:
    if candidate:
        nightly.adopt(candidate)
    pinned = None if new else nightly.history.baseline()
    return nightly.night(pinned) if pinned else nightly.baseline_night()


def _print_night(night: Night, history: History, *, as_json: bool) -> int:
    status = status_of(night)
    page = history.folder / PAGE
    if as_json:
        say(json.dumps({**night.model_dump(mode="json"), "status": status, "page": str(page)}, indent=2))
        return status
    for agent_night in night.agents:
        for line in lines_of(agent_night, night):
            say(line)
        say_failing({task: list(commands) for task, commands in agent_night.failing.items()})
    if left_out := str(night.left_out):
        say(f"left out: {left_out}")
    for agent, since in night.accepted.items():
        say(f"accepted: the regression of {agent} that was open since night {since}")
    say(f"{history.runs / night.run if night.run else 'nothing was run'}   page of the nights: {page}")
    return status


def lines_of(agent_night: AgentNight, night: Night) -> list[str]:
    """Return lines about the outcome of a night for an agent."""
    agent = agent_text(agent_night.agent, agent_night.baseline)
    if agent_night.outcome == "baseline":
        return [f"{agent}: baseline, {counted(night.tasks, 'task')}; the next nights will be compared with it"]
    regressions = [f"  {'open':<10}  {text}" for text in agent_night.open_text(night.left_out.tasks)]
    if agent_night.robustness is None or agent_night.clean is None:
        why = f": {night.refused}" if night.refused else ""
        return [f"{agent}: {agent_night.outcome_text}; night {night.number}{why}", *regressions]
    tasks = families_text(agent_night.clean.tasks, agent_night.clean.families)
    blocks = f"{agent_night.complete} of {agent_night.blocks} blocks"
    size = f"{tasks}, {blocks}, {share(agent_night.equal, agent_night.cells)} equal"
    lines = [f"{agent}: {agent_night.outcome_text}; night {night.number}, {size}"]
    for name, line, rerun in (
        ("robustness", agent_night.robustness, agent_night.rerun and agent_night.rerun.robustness),
        ("clean", agent_night.clean, agent_night.rerun and agent_night.rerun.clean),
    ):
        lines.append(f"  {name:<10}  {sentence(line)}{f'; rerun: {sentence(rerun)}' if rerun else ''}")
    return lines + regressions


def _dry_run(nightly: Nightly, *, new: bool, as_json: bool) -> int:
    """Print tonight's plan and the smallest loss it can detect, without writing anything."""
    history, design = nightly.history, nightly.design
    pinned = None if new else history.baseline()
    whole = plan_in(history.runs / pinned.run) if pinned else design.for_baseline().plan()
    turn = history.turn(pinned) if pinned else 0
    identities = frozenset(pinned.identities.values()) if pinned else None
    pool = design.pool(whole, identities, nightly.library)
    if not pool.tasks:
        raise UserError(f"tonight would be refused: {pool.left_out}")
    plan = design.for_night(whole, turn, pool).plan()
    cells = plan.cells()
    agents = len(plan.agents)
    clean = sum(cell.condition == "clean" for cell in cells) / agents / len(plan.tasks)
    stressed = len(cells) / agents / len(plan.tasks) - clean
    families = nightly.library.families(plan.tasks)
    tasks = f"{families_text(len(plan.tasks), families)} ({counted(len(whole.tasks), 'task')} in all)"
    arms = ", ".join(map(str, (*plan.conditions, *plan.agents)))
    lines = [
        f"{counted(len(cells), 'episode')} a night: {tasks}, {arms}; as many again after a suspicion",
        *margin_lines(len(plan.tasks), clean, stressed, families),
    ]
    if not pinned:
        lines.insert(0, f"tonight records the baseline: {counted(len(whole.cells()), 'episode')}, all tasks, once")
    if left_out := str(pool.left_out):
        lines.append(f"left out: {left_out}")
    if as_json:
        fields = {"baseline": pinned.run if pinned else None, "plan": plan.model_dump(), "episodes": len(cells)}
        say(json.dumps({**fields, "said": lines}, indent=2))
        return 0
    for line in lines:
        say(line)
    return 0
