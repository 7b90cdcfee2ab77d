"""The price of a language model."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Price(BaseModel):
    """The price of a model, in US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Annotated[float, Field(ge=0)]
    """Price of a million input tokens, in US dollars."""
    output: Annotated[float, Field(ge=0)]
    """Price of a million output tokens, in US dollars."""

    def of(self, tokens_in: float, tokens_out: float) -> float:
        """Return the cost of input and output tokens, in US dollars."""
        return (tokens_in * self.input + tokens_out * self.output) / 1e6
