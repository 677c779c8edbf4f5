"""The outside world, one door each."""
