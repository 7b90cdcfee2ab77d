"""`stressweb verify`: verifies a site, part by part."""

import json
import time
from collections.abc import Sequence
from pathlib import Path

from stressweb.cases.case_file import NAME, written
from stressweb.core.errors import UserError
from stressweb.core.event_loop import run
from stressweb.core.program_name import program_name
from stressweb.core.words import counted
from stressweb.runner import registry
from stressweb.runner.commands.output import say
from stressweb.runner.commands.progress import progress
from stressweb.runner.verify.cases import WORLDS, proven_cases
from stressweb.runner.verify.findings import Part
from stressweb.runner.verify.verification import Verification

MAX_FINDINGS = 12
"""Maximum number of findings printed per part."""


def verify(
    site: str,
    worlds: int,
    runs_dir: Path,
    workers: int | None,
    *,
    as_json: bool,
    cases: bool = False,
    only: Sequence[str] = (),
) -> int:
    """Verify a site and print the findings; return 1 if there are any, else 0. Raises UserError for an invalid site.

    With `cases`, only prove its test cases and write them to its file. `only` names the parts to prove (default: all).
    """
    if cases and only:
        raise UserError("--cases proves test cases alone; leave --part out")
    if cases and worlds < len(WORLDS):
        raise UserError(f"--seeds {worlds}: test cases are proven in at least {len(WORLDS)} worlds; leave --seeds out")
    name = site
    if site not in registry.site_names():
        folder = Path(site)
        if not (folder / "site.yaml").is_file():
            registry.check_site(site)
        registry.load([site])
        name = folder.resolve().name
    if cases:
        return _prove_tester_cases(name, worlds, as_json=as_json)
    proof, parts, start = Verification(name, worlds, runs_dir, workers, only), list[Part](), time.monotonic()
    with progress(quiet=as_json) as tally:
        for part in proof.parts(tally):
            parts.append(part)
            if not as_json:
                _say_part(part, time.monotonic() - start)
            start = time.monotonic()
    count = sum(len(part.findings) for part in parts)
    if as_json:
        say(json.dumps({"site": name, "worlds": worlds, "findings": count, "parts": [*map(_in_json, parts)]}, indent=2))
    elif count:
        say(f"{name}: {counted(count, 'finding')}")
    else:
        say(f"{name}: no findings in {counted(worlds, 'world')}{f' ({", ".join(only)})' if only else ''}")
    return int(bool(count))


def _prove_tester_cases(name: str, worlds: int, *, as_json: bool) -> int:
    """Prove the test cases of a site and write them to its file. Raises UserError for a site without a folder."""
    folder: Path | None = getattr(registry.SITES.get(name), "folder", None)
    if folder is None:
        raise UserError(f"site {name} has no folder for its {NAME}")
    start = time.monotonic()
    site_cases = run(proven_cases(name, registry.Library(), range(worlds)))
    (folder / NAME).write_text(written(site_cases.every_fault, site_cases.rejections), encoding="utf-8")
    figures = {
        "site": name,
        "cases": site_cases.count(),
        "passing": len(site_cases.faults),
        "rejected": len(site_cases.rejections),
    }
    if as_json:
        say(json.dumps(figures, indent=2))
        return 0
    say(
        f"{name}: {counted(site_cases.count(), 'test case')}, {len(site_cases.faults)} of them passing, proven in "
        f"{counted(worlds, 'world')} and at two widths; {len(site_cases.rejections)} rejected "
        f"({time.monotonic() - start:.0f} s)"
    )
    say(f"{folder / NAME}   next: {program_name()} list cases --site {name}")
    return 0


def _say_part(part: Part, seconds: float) -> None:
    say(f"{'FAIL' if part.findings else 'ok':<5}{part.name:<10} {part.tried} ({seconds:.0f} s)")
    for finding in part.findings[:MAX_FINDINGS]:
        say(f"     {finding.where}: {finding.what}")
    if len(part.findings) > MAX_FINDINGS:
        say(f"     and {len(part.findings) - MAX_FINDINGS} more; --json has all of them")
    if part.note:
        say(f"     {part.note}")


def _in_json(part: Part) -> dict[str, object]:
    findings = [{"where": finding.where, "what": finding.what} for finding in part.findings]
    return {"part": part.name, "tried": part.tried, "findings": findings, **({"note": part.note} if part.note else {})}
