"""`python -m stressweb` and the command `stressweb`: the command line."""

from stressweb.runner.commands.cli import main

if __name__ == "__main__":
    main()
