"""Episodes of a stressweb host as a task of Inspect."""

from stressweb_inspect.task import episode, grade, open_episode, play, stressweb

__all__ = ["episode", "grade", "open_episode", "play", "stressweb"]
