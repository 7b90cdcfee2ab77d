"""The base of everything that a `site.yaml` may hold, and the kinds of names that it can hold."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from stressweb.core.choices import offered
from stressweb.core.yaml_models import MOST_KEYS

type Kind = Literal["action", "condition", "entity", "entity with stages", "function", "label", "page", "template"]


@dataclass(frozen=True)
class Names:
    """What the text of a field refers to; an empty text refers to nothing."""

    kind: Kind


type Action = Annotated[str, Names("action")]
type Condition = Annotated[str, Names("condition")]
"""`path`, `not path` or `path is value`, several joined by ` and `."""
type EntityName = Annotated[str, Names("entity")]
type StagedEntity = Annotated[str, Names("entity with stages")]
type Function = Annotated[str, Names("function")]
"""A function of the site's `logic.py`, or of a mixin's."""
type Label = Annotated[str, Names("label")]
type PageName = Annotated[str, Names("page")]
type Template = Annotated[str, Names("template")]
"""A text with `{name}` and `{name.column}` in it."""


# Nothing undeclared, because a misspelt key would otherwise leave out what it says without a word. The mutable defaults
# of the models are safe: pydantic copies them for each object.
class Spec(BaseModel, frozen=True, extra="forbid"):
    """Frozen, and nothing that is not declared."""

    @model_validator(mode="before")
    @classmethod
    def _no_other_key(cls, value: Any) -> Any:
        if isinstance(value, dict):
            known = [field.alias or name for name, field in cls.model_fields.items()]
            for key in value:
                if key not in known:
                    # Raised here and not left to pydantic, which does not say what the keys of a member of a union are.
                    offer = offered(str(key), known, few=MOST_KEYS)
                    raise mistake(cls.__name__, str(key), value[key], f"is no known name; {offer}")
        return value


def mistake(model: str, key: str, value: Any, message: str) -> ValidationError:
    """Return what a validator of a model raises about one of its keys, so that the message names the key's line."""
    kind = PydanticCustomError("mistake", "{message}", {"message": message})
    return ValidationError.from_exception_data(model, [InitErrorDetails(type=kind, loc=(key,), input=value)])
