"""A terminal wallet for ICRC-1 tokens on the Internet Computer."""
