"""Nights that only have a number."""

from stressweb.analysis.nights import AgentNight, Night


def night(number: int) -> Night:
    agents = (AgentNight(baseline="a", agent="a", outcome="unchanged", robustness_sum=number / 8),)
    return Night(number=number, date="2026-01-01", run=f"night-{number}", baseline="base", tasks=3, agents=agents)
