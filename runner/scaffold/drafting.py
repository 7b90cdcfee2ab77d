"""Has a language model draft a site: tasks, then trajectories, then the spec, until `verify` accepts it.

The order is that of the paper (arXiv 2604.16385, section 3): tasks come first, and the site is built for them.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from stressweb.core import yaml_models
from stressweb.core.errors import UserError
from stressweb.core.whole_file import write_atomically
from stressweb.plugins.task import load_tasks
from stressweb.runner.agents.llm.endpoint import Endpoint
from stressweb.runner.agents.llm.endpoint_config import EndpointConfig
from stressweb.runner.agents.llm.prompt import Message
from stressweb.runner.agents.llm.request_options import Overlong, RequestOptions
from stressweb.runner.scaffold import questions
from stressweb.runner.scaffold.answer import WrongAnswerError, files_in
from stressweb.runner.scaffold.folder import add_schemas, place_for

LEAST_TASKS, MOST_TASKS = 3, 12
SECONDS = 300.0
"""Time limit per answer of the model, in seconds."""
RETRIES = 4
VERIFY_SECONDS = 1800
"""Time limit of `verify` on a draft, in seconds."""
EXCHANGES = "draft.jsonl"
"""File with all questions and answers, a line for each answer."""
_SPEC_FILES = {"site.yaml": True, "checks.py": True, "tasks.yaml": False, "logic.py": False, "corpora": False}

type Checker = Callable[[Path, Mapping[str, str]], list[str]]
"""Checks written files and returns their problems."""


class _DraftTask(BaseModel):
    """A task in the first draft."""

    model_config = ConfigDict(extra="forbid")

    id: str
    family: str
    goal: str


@dataclass
class Draft:
    """The result of drafting a site."""

    folder: Path
    accepted: bool
    answers: int
    tokens: int
    problems: Sequence[str] = ()
    """Problems of the last answer, if the draft was not accepted."""


class Drafter:
    """Has a model draft a site."""

    def __init__(self, name: str, place: Path, model: str, attempts: int, say: Callable[[str], None]) -> None:
        """Take the site's name, the parent of its folder, and the model; raises UserError for an unusable name.

        `attempts` is how often each of the three drafts may go back to the model. `say` gets progress messages.
        """
        self._name, self._attempts, self._say = name, attempts, say
        self._target = place_for(name, place)
        self._folder = place / f"{name}.draft" / name
        if self._folder.parent.exists():
            raise UserError(f"{self._folder.parent} contains an earlier draft; remove or rename it")
        options = RequestOptions(form="text", pictures=False)
        self._endpoint = Endpoint(EndpointConfig.of(os.environ), model, options, seconds=SECONDS, retries=RETRIES)
        self._messages: list[Message] = []
        self._answers = self._tokens = 0
        self._ids: list[str] = []

    def draft(self, description: str) -> Draft:
        """Draft the site; if `verify` accepts it, it moves to its folder, else the draft stays next to that.

        Raises EndpointError if the model does not answer.
        """
        self._folder.mkdir(parents=True)
        steps: Sequence[tuple[str, str, Mapping[str, bool], Checker]] = (
            (
                "tasks",
                questions.for_tasks(self._name, description, LEAST_TASKS, MOST_TASKS),
                {"tasks.yaml": True},
                self._check_tasks,
            ),
            ("trajectories", questions.for_ways(self._name), {"tasks.yaml": True}, self._check_ways),
            ("site", questions.for_spec(self._name), _SPEC_FILES, self._verify),
        )
        for stage, question, wanted, check in steps:
            problems = self._stage(stage, question, wanted, check)
            if problems:
                return Draft(
                    self._folder, accepted=False, answers=self._answers, tokens=self._tokens, problems=problems
                )
        self._folder.rename(self._target)
        shutil.rmtree(self._folder.parent)
        add_schemas(self._target)
        return Draft(self._target, accepted=True, answers=self._answers, tokens=self._tokens)

    def _stage(self, stage: str, question: str, wanted: Mapping[str, bool], check: Checker) -> list[str]:
        """Ask until an answer is valid; return the problems of the last answer."""
        problems: list[str] = []
        for attempt in range(1 + self._attempts):
            self._say(f"{stage}: answer {attempt + 1}")
            answer = self._ask(question)
            try:
                # A correction may contain only some of the files.
                files = files_in(answer, wanted if not attempt else dict.fromkeys(wanted, False))
            except WrongAnswerError as error:
                problems = [str(error)]
            else:
                for name, text in files.items():
                    path = self._folder / name
                    path.parent.mkdir(exist_ok=True)
                    write_atomically(path, text)
                problems = check(self._folder, files)
            self._log(stage, question, answer, problems)
            if not problems:
                return []
            self._say(f"{stage}: {problems[0]}")
            question = questions.for_correction(problems)
        return problems

    def _ask(self, question: str) -> str:
        self._messages.append({"role": "user", "content": question})
        try:
            reply, usage = self._endpoint.ask(lambda request_options: self._messages)
        except Overlong as error:
            raise UserError(f"the draft has become too long for the model: {error}") from None
        answer = reply.text
        self._answers += 1
        self._tokens += usage.tokens_in + usage.tokens_out
        # Some servers reject an empty answer in the conversation.
        self._messages.append({"role": "assistant", "content": answer or "(nothing)"})
        return answer

    def _log(self, stage: str, question: str, answer: str, problems: Sequence[str]) -> None:
        line = json.dumps({"stage": stage, "asked": question, "answered": answer, "problems": list(problems)})
        with (self._folder / EXCHANGES).open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def _check_tasks(self, folder: Path, files: Mapping[str, str]) -> list[str]:
        try:
            tasks = yaml_models.read(folder / "tasks.yaml", list[_DraftTask])
        except UserError as error:
            return [self._relative(error)]
        ids = [task.id for task in tasks]
        problems = [
            f"{task_id} must begin with {self._name}/" for task_id in ids if not task_id.startswith(f"{self._name}/")
        ]
        if not LEAST_TASKS <= len(set(ids)) <= MOST_TASKS:
            problems.append(f"there are {len(set(ids))} tasks; list {LEAST_TASKS} to {MOST_TASKS}")
        problems += [
            f"{task_id} is listed twice" for task_id in sorted({task_id for task_id in ids if ids.count(task_id) > 1})
        ]
        self._ids = ids
        return problems

    def _check_ways(self, folder: Path, files: Mapping[str, str]) -> list[str]:
        try:
            ids = [task.id for task in load_tasks(folder / "tasks.yaml")]
        except UserError as error:
            return [self._relative(error)]
        return [f"{task_id} is missing" for task_id in self._ids if task_id not in ids] + [
            f"{task_id} was not listed" for task_id in ids if task_id not in self._ids
        ]

    def _verify(self, folder: Path, files: Mapping[str, str]) -> list[str]:
        if problems := self._check_ways(folder, files):
            return problems
        command = [sys.executable, "-P", "-m", "stressweb", "verify", folder.name, "--seeds", "2", "--json"]
        environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        # Hide the key from Python code that the model wrote.
        environ.pop("OPENAI_API_KEY", None)
        try:
            done = subprocess.run(
                command,
                cwd=folder.parent,
                env=environ,
                capture_output=True,
                text=True,
                timeout=VERIFY_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [f"verify did not end within {VERIFY_SECONDS} s"]
        if done.returncode not in (0, 1):
            lines = done.stderr.strip().splitlines() or ["verify failed without a message"]
            return [lines[-1].removeprefix("stressweb: ")]
        findings = (finding for part in json.loads(done.stdout)["parts"] for finding in part["findings"])
        return [f"{finding['where']}: {finding['what']}".replace(f"{folder.resolve()}/", "") for finding in findings]

    def _relative(self, error: UserError) -> str:
        """Return an error's message with paths relative to the draft."""
        return str(error).replace(f"{self._folder}/", "")


def drafted(name: str, source: Path, place: Path, model: str, attempts: int, say: Callable[[str], None]) -> Draft:
    """Draft a site from the description in a file; raises UserError for an invalid file, name or endpoint."""
    try:
        description = source.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{source} cannot be read: {error}") from None
    if not description.strip():
        raise UserError(f"{source} is empty; describe the site in a few sentences")
    EndpointConfig.of(os.environ).probe()
    return Drafter(name, place, model, attempts, say).draft(description)
