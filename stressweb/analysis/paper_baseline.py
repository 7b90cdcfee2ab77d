"""Human mean steps reported in the paper, on its own tasks (arXiv 2604.16385, table 1)."""

from collections.abc import Mapping

HUMAN_STEPS: Mapping[str, float] = {
    "clean": 7.0,
    "chaos@3": 7.0,
    "noise@3": 7.0,
    "failure@3": 10.3,
    "popup@3": 9.7,
    "remap_explicit@3": 7.8,
    "remap@3": 7.7,
}
"""Mean steps by condition label, over the paper's own 149 tasks: compare increases over clean."""
