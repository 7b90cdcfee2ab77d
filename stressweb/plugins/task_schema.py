"""The JSON Schema of `tasks.yaml`: the schema of the models, extended by the short forms that files may use."""

from stressweb.core.json_schema import Json, any_of, definitions, exactly_one, ref, whole
from stressweb.core.templates import Bound
from stressweb.plugins.expect import Pattern, TablePatterns
from stressweb.plugins.limits import Limit
from stressweb.plugins.steps import VERBS, StepSpec
from stressweb.plugins.task import Task
from stressweb.plugins.task_parameter import Given


def tasks_schema() -> Json:
    """Return the schema of a `tasks.yaml`."""
    names, defs = definitions((Task, StepSpec, Limit, Given, TablePatterns, Pattern, Bound))
    step = names[StepSpec]
    defs[step].update(exactly_one((*VERBS, "each")))
    defs[names[Given]].update(exactly_one(("pick", "all", "label", "choice", "between")))
    # YAML inserts the steps of an alias as a nested list.
    defs["steps"] = {"type": "array", "items": any_of(ref(step), ref("steps")), "minItems": 1}
    defs["Way"] = ref("steps")
    for model, name in ((StepSpec, "steps"), (Limit, "breach"), (Limit, "in_place_of")):
        entries = defs[names[model]]["properties"]
        entries[name] = {**ref("steps"), "description": entries[name]["description"]}
    return whole({"title": "tasks.yaml", "type": "array", "items": ref(names[Task])}, defs)
