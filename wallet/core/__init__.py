"""The pure part: standard library only, same input, same output."""
