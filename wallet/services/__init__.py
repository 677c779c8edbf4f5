"""What the wallet can do, in terms of the core and the ports."""
