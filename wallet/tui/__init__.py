"""The terminal interface: asks, shows, decides nothing."""
