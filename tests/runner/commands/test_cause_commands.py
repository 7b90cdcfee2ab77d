"""`shrink` and `fork` repeat the defaults of the search, because importing it would slow down `--help`."""

from stressweb.runner.causes.fork import REPEATS
from stressweb.runner.causes.shrink import MAX_EPISODES
from stressweb.runner.commands.cause_commands import fork_command, shrink_command


def test_the_defaults_are_those_of_the_search() -> None:
    (episodes,) = [option for option in shrink_command.params if option.name == "max_episodes"]
    assert episodes.default == MAX_EPISODES
    (repeats,) = [option for option in fork_command.params if option.name == "repeats"]
    assert f"(default: {REPEATS}, or 1 for a deterministic agent)" in str(repeats.to_info_dict()["help"])
