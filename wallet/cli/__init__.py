"""The command line: arguments, exit codes, one JSON shape."""
