"""Plans that Hypothesis draws."""

from hypothesis import strategies as st

from stressweb.log.plan import Plan
from tests.support.plans import plan as planned

LABELS = st.lists(st.sampled_from(["sham", "remap@3", "failure@2"]), unique=True)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    agents = draw(st.lists(st.sampled_from(["naive", "model", "other"]), unique=True, min_size=1))
    return planned(
        agents,
        tasks=tuple(f"shop/task-{n}" for n in range(draw(st.integers(1, 3)))),
        conditions=("clean", *draw(LABELS)),
        worlds=tuple(range(draw(st.integers(1, 2)))),
        stress=tuple(draw(st.lists(st.integers(0, 50), unique=True, min_size=1, max_size=4))),
        epochs=draw(st.integers(1, 3)),
        sampled=tuple(agent for agent in agents if agent != "naive"),
    )
