"""`python -m runner` is the command `stressweb`, for a checkout that is not installed."""

from runner.commands.cli import main

if __name__ == "__main__":
    main()
