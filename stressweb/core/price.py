"""What a language model costs."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Price(BaseModel):
    """What a model costs, in US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Annotated[float, Field(ge=0)]
    """Price of a million tokens that the model reads."""
    output: Annotated[float, Field(ge=0)]
    """Price of a million tokens that the model writes."""

    def of(self, tokens_in: float, tokens_out: float) -> float:
        """Return what so many tokens cost, in US dollars."""
        return (tokens_in * self.input + tokens_out * self.output) / 1e6
