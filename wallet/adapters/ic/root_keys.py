"""The root key of the Internet Computer's main network, which nothing can replace."""

from typing import Final

MAINNET_URL: Final = "https://icp-api.io"

MAINNET_ROOT_KEY: Final = bytes.fromhex(
    "308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100"
    "814c0e6ec71fab583b08bd81373c255c3c371b2e84863c98a4f1e08b74235d14"
    "fb5d9c0cd546d9685f913a0c0b2cc5341583bf4b4392e467db96d65b9bb4cb71"
    "7112f8472e0d5a4d14505ffd7484b01291091c5f87b98883463f98091a0baaae"
)
"""DER. Its first 32 hex digits of SHA-256 are the network's published id, 737ba355e855bd4b61279056603e0550."""
