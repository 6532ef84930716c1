"""`python -m engine` is the console script."""

from engine.cli import main

if __name__ == "__main__":
    main()
