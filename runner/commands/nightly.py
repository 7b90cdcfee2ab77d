"""`stressweb nightly`: tonight's tasks against the pinned baseline, the history, the page of the nights."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from runner.api.start import OPTIONS, Experiment, read_experiment
from runner.commands.compare import say_failing
from runner.commands.output import say
from runner.commands.progress import progress
from runner.nightly.design import AGENTS, CONDITIONS, SIZE, Design, plan_in
from runner.nightly.history import History
from runner.nightly.night import Nightly, NotComparableError, status_of
from runner.nightly.output import PAGE, SUITE, write
from runner.registry import Library
from stressweb.analysis.comparison_text import sentence, share, who
from stressweb.analysis.margin import margin_lines
from stressweb.analysis.nights import AgentNight, Night
from stressweb.analysis.wording import families_text
from stressweb.core.errors import UserError
from stressweb.core.whole_file import write_atomically
from stressweb.core.words import counted
from stressweb.report.junit import Case, junit

NOT_COMPARABLE = 3


def run_night(options: Mapping[str, Any], given: Collection[str]) -> int:
    """Run a night as the options of the command line ask for; `given` are those that are not defaults.

    Returns 0, 1 for an open regression, 3 if tonight cannot be compared. Raises UserError before anything is made.
    """
    history = History(options["history"])
    new = options["new_baseline"] or history.baseline() is None
    design = _design(options, given, check_tasks=new)
    with progress(quiet=options["as_json"] or options["dry_run"]) as tally:
        nightly = Nightly(design, history, Library(), tally, options["workers"])
        if options["dry_run"]:
            return _dry_run(nightly, new=options["new_baseline"], as_json=options["as_json"])
        # Mistakes in the options are found before the folder is made.
        design.check(new=new)
        candidate = nightly.candidate(options["baseline"], options["runs_dir"]) if options["baseline"] else None
        with history.held():
            try:
                night = _night(nightly, candidate, new=options["new_baseline"])
            except NotComparableError as error:
                # A build server that reads only this file must not see last night's success in it.
                write_atomically(history.folder / SUITE, junit({"nightly": [Case("comparable", "error", str(error))]}))
                say(f"stressweb: not comparable: {error}", err=True)
                return NOT_COMPARABLE
            # While the folder is still ours: another night would write the same two files.
            write(history)
    return _told(night, history, as_json=options["as_json"])


def _design(options: Mapping[str, Any], given: Collection[str], *, check_tasks: bool) -> Design:
    """Return the design that the file, if one is given, and the options state; options override the file."""
    fields = {option: name for name, option in OPTIONS.items()}
    changes = {fields.get(name, name): options[name] for name in given if fields.get(name, name) in _FIELDS}
    changes |= {name: (changes[name],) for name in (*fields.values(), "exclude") if name in changes}
    file: Path | None = options["experiment"]
    asked = {
        **(read_experiment(file, check_tasks=check_tasks).model_dump(exclude_unset=True) if file else {}),
        **changes,
    }
    whole = {"agents": AGENTS, "conditions": CONDITIONS, **asked}
    # In a night, `limit` is the number of tasks that it takes in turn; the experiment itself must keep all of them.
    size = whole.pop("limit", None) or SIZE
    return Design(Experiment.model_validate(whole), size, frozenset(asked))


_FIELDS = frozenset(Experiment.model_fields)


def _night(nightly: Nightly, candidate: Path | None, *, new: bool) -> Night:
    if candidate:
        nightly.adopt(candidate)
    pinned = None if new else nightly.history.baseline()
    return nightly.night(pinned) if pinned else nightly.baseline_night()


def _told(night: Night, history: History, *, as_json: bool) -> int:
    status = status_of(night)
    page = history.folder / PAGE
    if as_json:
        say(json.dumps({**night.model_dump(mode="json"), "status": status, "page": str(page)}, indent=2))
        return status
    for one in night.agents:
        for line in lines_of(one, night):
            say(line)
        say_failing({task: list(commands) for task, commands in one.failing.items()})
    if left_out := str(night.left_out):
        say(f"left out: {left_out}")
    for agent, since in night.accepted.items():
        say(f"accepted: the regression of {agent} that was open since night {since}")
    say(f"{history.runs / night.run if night.run else 'nothing was run'}   page of the nights: {page}")
    return status


def lines_of(one: AgentNight, night: Night) -> list[str]:
    """Return the result of a night for one agent, line by line."""
    agent = who(one.agent, one.baseline)
    if one.outcome == "baseline":
        return [f"{agent}: baseline, {counted(night.tasks, 'task')}; the next nights are compared with it"]
    regressions = [f"  {'open':<10}  {said}" for said in one.open_text(night.left_out.tasks)]
    if one.robustness is None or one.clean is None:
        why = f": {night.refused}" if night.refused else ""
        return [f"{agent}: {one.outcome_text}; night {night.number}{why}", *regressions]
    tasks = families_text(one.clean.tasks, one.clean.families)
    size = f"{tasks}, {one.complete} of {one.blocks} blocks, {share(one.equal, one.cells)} equal"
    lines = [f"{agent}: {one.outcome_text}; night {night.number}, {size}"]
    for name, line, again in (
        ("robustness", one.robustness, one.rerun and one.rerun.robustness),
        ("clean", one.clean, one.rerun and one.rerun.clean),
    ):
        lines.append(f"  {name:<10}  {sentence(line)}{f'; rerun: {sentence(again)}' if again else ''}")
    return lines + regressions


def _dry_run(nightly: Nightly, *, new: bool, as_json: bool) -> int:
    """Print what tonight would run and can show, without making anything."""
    history, design = nightly.history, nightly.design
    pinned = None if new else history.baseline()
    whole = plan_in(history.runs / pinned.run) if pinned else design.for_baseline().plan()
    turn = history.turn(pinned) if pinned else 0
    identities = frozenset(pinned.identities.values()) if pinned else None
    left = design.pool(whole, identities, nightly.library)
    if not left.tasks:
        raise UserError(f"tonight would be refused: {left.left_out}")
    plan = design.for_night(whole, turn, left).plan()
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
    if left_out := str(left.left_out):
        lines.append(f"left out: {left_out}")
    if as_json:
        said = {"baseline": pinned.run if pinned else None, "plan": plan.model_dump(), "episodes": len(cells)}
        say(json.dumps({**said, "said": lines}, indent=2))
        return 0
    for line in lines:
        say(line)
    return 0
