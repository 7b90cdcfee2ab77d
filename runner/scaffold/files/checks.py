"""What counts as done: the checkpoints of each task, milestones that the goal needs, whatever the way."""

from stressweb.plugins.checks import Checks, checks
from stressweb.plugins.query import Run
from stressweb.plugins.task import Goal


@checks("NAME/borrow-the-cheapest")
def borrow_the_cheapest(run: Run, goal: Goal) -> Checks:
    """Borrow the cheapest tool of a kind."""
    loans = run.closing("/loans").names("Product")
    yield "opened its page", run.ever(lambda state: state.path == f"/tools/{goal.tool.id}")
    yield "borrowed it", goal.tool.name in loans
    yield "borrowed nothing else", goal.tool.name in loans and len(run.added("loan")) == 1


@checks("NAME/lend-a-tool")
def lend_a_tool(run: Run, goal: Goal) -> Checks:
    """Offer a tool with its kind and its price."""
    tool = run.closing("/tools").item("Product", name=goal.wish.name)
    yield "offered the tool", tool is not None
    yield "as the right kind", tool is not None and tool["category"] == goal.kind.name
    yield "for the right price", tool is not None and tool.number("price") == goal.price
    yield "under the right name", tool is not None and tool["seller"] == goal.person


@checks("NAME/give-one-back")
def give_one_back(run: Run, goal: Goal) -> Checks:
    """Give one of two tools back."""
    remaining = run.closing("/loans").names("Product")
    yield "looked at the loans", run.ever(lambda state: state.path == "/loans")
    yield "gave it back", goal.other.name in remaining and goal.tool.name not in remaining
    yield "kept the other", goal.other.name in remaining and len(run.removed("loan")) == 1
