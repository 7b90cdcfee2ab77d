"""The questions to a language model that drafts a site."""

from collections.abc import Mapping, Sequence

from stressweb.runner.scaffold.folder import files_of
from stressweb.sites.kit import KIT

_FORM = """\
Answer with whole files. Before each file write a line with FILE and its name, then the file between lines of ```:

FILE tasks.yaml
```yaml
...
```"""
_TASKS = """\
You design a small web site for people, and tasks that somebody can do on it. The site will be generated from
specification files. Its data, wording and look differ from world to world, so a goal names things by what is drawn from
the world, and never by a constant.

This is the site:

{description}

First list the tasks, as YAML: {least} to {most} of them. Each has an `id` (`{name}/` and a few lower-case words joined
by hyphens), a `family` (what it has in common with other tasks), and a `goal` (a sentence or two that ask somebody to
do it, with placeholders such as {{item.name}} for what is drawn). Tasks differ in what they change on the site and in
the way there. At least one needs a comparison or a count. Whether a goal was reached must show in the database and on
the pages.

FILE tasks.yaml
```yaml
- id: {name}/...
  family: ...
  goal: ...
```"""
_WAYS = """\
Now write the whole of tasks.yaml for the tasks that you listed: what is given, the reference trajectory, other ways if
there are any, the exact change of the database, and the pages that are evidence. Name controls by label keys, which
site.yaml will word. Here is tasks.yaml of another site, which shows the format:

{example}

{form}"""
_SPEC = """\
Now write site.yaml and checks.py, and corpora and logic.py if you need them. site.yaml holds labels with several
wordings, entities with their columns, pages made of widgets, and actions. checks.py has three to eight checkpoints for
each task: milestones that the goal needs, read from the pages, none of which is passed by doing nothing. These are the
files of the other site:

{example}

There are these widgets: {widgets}. There are these parts of an item: {parts}. There are these fields of a form:
{fields}. There are these mixins: {mixins}.

{form}"""
_WRONG = """\
That cannot be used yet:

{problems}

Mend it. {form}"""
_MAX_PROBLEMS = 12
"""Maximum number of problems to send back at a time."""


def for_tasks(name: str, description: str, least: int, most: int) -> str:
    """Return the first question: the list of tasks."""
    return _TASKS.format(name=name, description=description.strip(), least=least, most=most)


def for_ways(name: str) -> str:
    """Return the second question: the trajectories."""
    return _WAYS.format(example=_example_files(name, ("tasks.yaml",)), form=_FORM)


def for_spec(name: str) -> str:
    """Return the third question: the site and its checkpoints."""
    files = ("site.yaml", "checks.py", "logic.py", "corpora/tools.yaml")
    kinds = {kind: ", ".join(_names(kind)) for kind in ("widgets", "parts", "fields", "mixins")}
    return _SPEC.format(example=_example_files(name, files), form=_FORM, **kinds)


def for_correction(problems: Sequence[str]) -> str:
    """Return the question that sends problems back."""
    more = f"\n* and {len(problems) - _MAX_PROBLEMS} more" if len(problems) > _MAX_PROBLEMS else ""
    return _WRONG.format(problems="\n".join(f"* {problem}" for problem in problems[:_MAX_PROBLEMS]) + more, form=_FORM)


def _example_files(name: str, files: Sequence[str]) -> str:
    # Under another name, so that the model does not confuse the example with its own site.
    whole: Mapping[str, str] = files_of("shed" if name != "shed" else "tools")
    return "\n\n".join(f"FILE {file}\n```\n{whole[file]}```" for file in files)


def _names(kind: str) -> list[str]:
    folders = (path.name for path in (KIT / kind).iterdir() if path.is_dir() and not path.name.startswith("_"))
    return sorted(folders)
