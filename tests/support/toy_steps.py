"""The steps that fill in the form of the toy site, and what it then sends."""

from stressweb.plugins.steps import Step

STEPS = (
    Step(verb="open", target="Beta page"),
    Step(verb="enter", target="Name", value="Ann B"),
    Step(verb="enter", target="Day", value="2024-02-03"),
    Step(verb="choose", target="Size", value="two"),
    Step(verb="tick", target="Agree"),
    Step(verb="enter", target="Note", value="a note"),
    Step(verb="press", target="Save it"),
)


WANTED = "name=Ann+B&day=2024-02-03&size=two&agree=1&note=a+note"
