"""The Internet Computer: transport, envelopes, certificates, Candid, ledgers."""
