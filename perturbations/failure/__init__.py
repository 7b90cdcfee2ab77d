"""Failure: a click or an entry does not take effect."""

from typing import ClassVar

from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.perturbations.failure.rule import FailureRule
from stressweb.plugins.perturbation import Perturbation, Rate, Stage, table


class Failure(Perturbation):
    """Some clicks and entries have no effect; chance decides once for each action of the user.

    Delivered: an action failed. Met: the same. Overcome: a later attempt on the same element succeeded. The page stays
    unchanged: the only sign of a failed action is that nothing happens.
    """

    mode: ClassVar[str] = "failure"
    stage = Stage.EXECUTION
    swallows = True
    severities = table(rate=(0.1, 0.2, 0.35, 0.42, 0.5))

    rate: Rate = 0.35
    """Share of user actions that have no effect."""

    def rule(self, seeds: Seeds) -> FailureRule:
        """Return the settings of the page's draws, and the rate."""
        return FailureRule(mode=self.mode, rule=rule_words(seeds, "failure"), rate=self.rate)
