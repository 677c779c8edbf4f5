"""Published test keys and what other clients make of them. Nothing is worth anything at these principals."""

from dataclasses import dataclass

from wallet.adapters.keys import Curve


@dataclass(frozen=True)
class Vector:
    """A key file, and its principal or public key as another client states it."""

    source: str
    curve: Curve
    pem: str
    principal: str | None = None
    public_key_der: str | None = None


# As openssl ecparam -genkey writes it: the curve twice.
SECP256K1_WITH_PARAMETERS = Vector(
    "agent-rs, identity/secp256k1.rs",
    Curve.SECP256K1,
    """-----BEGIN EC PARAMETERS-----
BgUrgQQACg==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MHQCAQEEIAgy7nZEcVHkQ4Z1Kdqby8SwyAiyKDQmtbEHTIM+WNeBoAcGBSuBBAAK
oUQDQgAEgO87rJ1ozzdMvJyZQ+GABDqUxGLvgnAnTlcInV3NuhuPv4O3VGzMGzeB
N3d26cRxD99TPtm8uo2OuzKhSiq6EQ==
-----END EC PRIVATE KEY-----
""",
    public_key_der="3056301006072a8648ce3d020106052b8104000a0342000480ef3bac9d68cf374cbc9c9943e180043a94c462ef827027"
    "4e57089d5dcdba1b8fbf83b7546ccc1b3781377776e9c4710fdf533ed9bcba8d8ebb32a14a2aba11",
)
SECP256K1_PKCS8 = Vector(
    "agent-rs, identity/prime256v1.rs: the key above as PKCS#8",
    Curve.SECP256K1,
    """-----BEGIN PRIVATE KEY-----
MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgCDLudkRxUeRDhnUp2pvL
xLDICLIoNCa1sQdMgz5Y14GhRANCAASA7zusnWjPN0y8nJlD4YAEOpTEYu+CcCdO
VwidXc26G4+/g7dUbMwbN4E3d3bpxHEP31M+2by6jY67MqFKKroR
-----END PRIVATE KEY-----
""",
    public_key_der=SECP256K1_WITH_PARAMETERS.public_key_der,
)
SECP256K1_SEC1 = Vector(
    "agent-js, identity-secp256k1/pem.test.ts",
    Curve.SECP256K1,
    """-----BEGIN EC PRIVATE KEY-----
MHQCAQEEIGfKHuyoCCCbEXb0789MIdWiCIpZo1LaKApv95SSIaWPoAcGBSuBBAAK
oUQDQgAEahC99Avid7r8D6kIeLjjxJ8kwdJRy5nPrN9o18P7xHT95i0JPr5ivc9v
CB8vG2s97NB0re2MhqvdWgradJZ8Ow==
-----END EC PRIVATE KEY-----
""",
    principal="42gbo-uiwfn-oq452-ql6yp-4jsqn-a6bxk-n7l4z-ni7os-yptq6-3htob-vqe",
)
P256_SEC1 = Vector(
    "agent-rs, identity/prime256v1.rs",
    Curve.P256,
    """-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIL1ybmbwx+uKYsscOZcv71MmKhrNqfPP0ke1unET5AY4oAoGCCqGSM49
AwEHoUQDQgAEUbbZV4NerZTPWfbQ749/GNLu8TaH8BUS/I7/+ipsu+MPywfnBFIZ
Sks4xGbA/ZbazsrMl4v446U5UIVxCGGaKw==
-----END EC PRIVATE KEY-----
""",
    public_key_der="3059301306072a8648ce3d020106082a8648ce3d0301070342000451b6d957835ead94cf59f6d0ef8f7f18d2eef13687"
    "f01512fc8efffa2a6cbbe30fcb07e70452194a4b38c466c0fd96dacecacc978bf8e3a53950857108619a2b",
)
P256_PKCS8 = Vector(
    "agent-rs, identity/prime256v1.rs: the key above as PKCS#8",
    Curve.P256,
    """-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvXJuZvDH64piyxw5
ly/vUyYqGs2p88/SR7W6cRPkBjihRANCAARRttlXg16tlM9Z9tDvj38Y0u7xNofw
FRL8jv/6Kmy74w/LB+cEUhlKSzjEZsD9ltrOysyXi/jjpTlQhXEIYZor
-----END PRIVATE KEY-----
""",
    public_key_der=P256_SEC1.public_key_der,
)
ED25519_OLD_DFX = Vector(
    "dfinity/sdk, e2e/assets/ed25519 and tests-dfx/identity.bash: version 2 with a wrapped public key",
    Curve.ED25519,
    """-----BEGIN PRIVATE KEY-----
MFMCAQEwBQYDK2VwBCIEIODVjQrIvbt3PO3FPDKCZs2FarAbsRrLuiQZ+NBslV9U
oSMDIQDVkl2stdaeyBDvfb0t4qy9vhsv6xLl1v7p7i0NO1+9pw==
-----END PRIVATE KEY-----
""",
    principal="2nor3-keehi-duuup-d7jcn-onggn-3atzm-gejtl-5tlzn-k4g6c-nnbf7-7qe",
)
VECTORS = [
    SECP256K1_WITH_PARAMETERS,
    SECP256K1_PKCS8,
    SECP256K1_SEC1,
    P256_SEC1,
    P256_PKCS8,
    ED25519_OLD_DFX,
]
