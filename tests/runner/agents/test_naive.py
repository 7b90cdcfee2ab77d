import lxml.html

from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Brief, Observation
from stressweb.plugins.steps import Step
from stressweb.runner.agents.naive import Naive

PAGE = """<a id=l href=/x>Lamps</a><input id=n aria-label=Name><select id=s aria-label=Size><option>S<option>L</select>
<input type=checkbox id=c aria-label=Gift checked><button id=b>Save</button>"""


def observation() -> Observation:
    boxes = [(0.0, 0.0, 50.0, 20.0) for _ in lxml.html.document_fromstring(PAGE).iter("*")]
    return Observation(url="http://shop.test/", html=PAGE, boxes=boxes)


def test_one_action_for_each_step_missing_targets_left_out_and_done_claimed() -> None:
    steps = (
        Step(verb="open", target="Lamps"),
        Step(verb="press", target="Not there"),
        Step(verb="enter", target="Name", value="Ann"),
        Step(verb="choose", target="Size", value="L"),
        Step(verb="untick", target="Gift"),
        Step(verb="tick", target="Gift"),
        Step(verb="press", target="Save"),
    )
    agent = Naive()
    agent.start(Brief(goal="", start_url="", steps=steps))
    actions = [agent.act(observation()) for _ in range(7)]
    assert actions[:6] == [
        Action(kind="CLICK", selector='[id="l"]'),
        Action(kind="FILL", selector='[id="n"]', text="Ann"),
        Action(kind="SELECT", selector='[id="s"]', option="L"),
        Action(kind="UNCHECK", selector='[id="c"]'),
        Action(kind="CHECK", selector='[id="c"]'),
        Action(kind="CLICK", selector='[id="b"]'),
    ]
    assert actions[6].kind == "DONE"
