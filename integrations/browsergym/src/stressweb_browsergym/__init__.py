"""Tasks of a stressweb host as BrowserGym environments."""

from stressweb_browsergym.task import HostTask, register

__all__ = ["HostTask", "register"]
