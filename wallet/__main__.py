"""python -m wallet."""

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        from wallet.cli.main import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        print("wallet: interrupted before anything was begun", file=sys.stderr)  # noqa: T201
        return 130


if __name__ == "__main__":
    sys.exit(main())
