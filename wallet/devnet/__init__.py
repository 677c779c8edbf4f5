"""The embedded network: an ICRC ledger behind the real HTTP interface, with certificates and faults on cue."""
