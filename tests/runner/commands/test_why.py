"""The commands that ask why say the defaults of the search, which they do not import: help has to answer at once."""

from runner.causes.fork import REPEATS
from runner.causes.shrink import MOST_EPISODES
from runner.commands.why import fork_command, shrink_command


def test_the_defaults_are_those_of_the_search() -> None:
    (episodes,) = [one for one in shrink_command.params if one.name == "max_episodes"]
    assert episodes.default == MOST_EPISODES
    (repeats,) = [one for one in fork_command.params if one.name == "repeats"]
    assert f"(default: {REPEATS}, or 1 for a deterministic agent)" in str(repeats.to_info_dict()["help"])
