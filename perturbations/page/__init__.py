"""Scripts of the engine that live in the page, without a mode of their own."""
