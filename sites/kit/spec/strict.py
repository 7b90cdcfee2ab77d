"""The base class of all models of `site.yaml`, and the types of names in it."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from stressweb.core.choices import offered
from stressweb.core.yaml_models import MOST_KEYS

type Kind = Literal["action", "condition", "entity", "entity with stages", "function", "label", "page", "template"]


@dataclass(frozen=True)
class Names:
    """Marks the text of a field as a reference; an empty text refers to nothing."""

    kind: Kind


type Action = Annotated[str, Names("action")]
type Condition = Annotated[str, Names("condition")]
"""`path`, `not path` or `path is value`; ` and ` joins several."""
type EntityName = Annotated[str, Names("entity")]
type StagedEntity = Annotated[str, Names("entity with stages")]
type Function = Annotated[str, Names("function")]
"""A function of the site's `logic.py`, or of a mixin's."""
type Label = Annotated[str, Names("label")]
type PageName = Annotated[str, Names("page")]
type Template = Annotated[str, Names("template")]
"""A text with placeholders such as `{name}` and `{name.column}`."""


# Unknown keys are errors, because a misspelt key would otherwise be ignored silently. The mutable defaults of the
# models are safe: pydantic copies them for each object.
class Spec(BaseModel, frozen=True, extra="forbid"):
    """A frozen model without undeclared keys."""

    @model_validator(mode="before")
    @classmethod
    def _no_other_key(cls, value: Any) -> Any:
        if isinstance(value, dict):
            known = [field.alias or name for name, field in cls.model_fields.items()]
            for key in value:
                if key not in known:
                    # Raise it here, because pydantic's own error does not list the valid keys of a union's member.
                    offer = offered(str(key), known, few=MOST_KEYS)
                    raise mistake(cls.__name__, str(key), value[key], f"is no known name; {offer}")
        return value


def mistake(model: str, key: str, value: Any, message: str) -> ValidationError:
    """Return an error about a key of a model for a validator to raise, so that the message names the key's line."""
    kind = PydanticCustomError("mistake", "{message}", {"message": message})
    return ValidationError.from_exception_data(model, [InitErrorDetails(type=kind, loc=(key,), input=value)])
