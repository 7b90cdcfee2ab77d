"""External agents, which drive the browser themselves: what an episode offers them, and how it is recorded."""
