"""What a command that a test calls leaves: its exit status, output and errors."""

type Result = tuple[int, str, str]
