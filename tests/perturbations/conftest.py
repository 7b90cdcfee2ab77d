"""The stage: episodes on the toy site under a condition."""

from tests.support.toy_stage import stage

__all__ = ["stage"]
