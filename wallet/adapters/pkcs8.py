"""Private keys in DER: PKCS#8 (RFC 5208, RFC 5958, and what old dfx made of it) and SEC1 (RFC 5915)."""

from wallet.adapters import der
from wallet.adapters.der import Element, Malformed, expect, read_all, read_bits, read_number, read_one
from wallet.adapters.keys import SCALAR_BYTES, Curve, Key
from wallet.core.secret import Secret

ED25519 = bytes.fromhex("2b6570")
EC_PUBLIC_KEY = bytes.fromhex("2a8648ce3d0201")
NAMED_CURVES = {bytes.fromhex("2b8104000a"): Curve.SECP256K1, bytes.fromhex("2a8648ce3d030107"): Curve.P256}
_OTHER_KINDS = {
    bytes.fromhex("2a864886f70d010101"): "an RSA key",
    bytes.fromhex("2a8648ce380401"): "a DSA key",
    bytes.fromhex("2b656e"): "an X25519 key",
    bytes.fromhex("2b6571"): "an Ed448 key",
}
_OTHER_CURVES = {bytes.fromhex("2b81040022"): "P-384", bytes.fromhex("2b81040023"): "P-521"}
TAKEN = "the Internet Computer takes Ed25519, secp256k1 and P-256 keys only."
_DISAGREE = "The private key does not belong to the public key stored with it: one of them is damaged."

# Context tags: a field by its number, primitive (0x80) or constructed (0xA0).
_POINT, _ATTRIBUTES, _POINT_INSIDE = 0x81, 0xA0, 0xA1
_CURVE_INSIDE = 0xA0


def read_pkcs8(secret: Secret) -> Key:
    """The key of an unencrypted PKCS#8 structure. Raises ValueError with a sentence that shows nothing of it."""
    match read_all(read_one(secret.reveal())):
        case [
            Element(tag=der.INTEGER) as version,
            Element(tag=der.SEQUENCE) as algorithm,
            Element(tag=der.OCTET_STRING) as inner,
            *more,
        ]:
            # Version 2 (written as 1) may add the public key. Neither the keys nor their readers heed the number.
            if read_number(version) > 1:
                raise Malformed()
            point = _optional_point(more)
        case _:
            raise Malformed()
    kind, parameters = _algorithm(algorithm)
    if kind == ED25519:
        if parameters:
            raise Malformed()
        seed = Secret(expect(read_one(inner.content), der.OCTET_STRING))
        return _agreeing(Key.from_scalar(Curve.ED25519, seed), point)
    if kind == EC_PUBLIC_KEY:
        key = read_sec1(Secret(inner.content), [_curve(each) for each in parameters])
        return _agreeing(key, point)
    raise ValueError(f"This is {_OTHER_KINDS.get(kind, 'a key of another kind')}; {TAKEN}")


def read_sec1(secret: Secret, known: list[Curve]) -> Key:
    """The key of a SEC1 structure whose curve may be `known` from around it. Raises ValueError with a sentence."""
    match read_all(read_one(secret.reveal())):
        case [Element(tag=der.INTEGER) as version, Element(tag=der.OCTET_STRING) as scalar, *more]:
            if read_number(version) != 1 or len(scalar.content) > SCALAR_BYTES + 34:  # P-521 has 66 bytes
                raise Malformed()
        case _:
            raise Malformed()
    if more and more[0].tag == _CURVE_INSIDE:
        known = [*known, _curve(read_one(more.pop(0).content))]
    point = None
    if more and more[0].tag == _POINT_INSIDE:
        point = read_bits(expect(read_one(more.pop(0).content), der.BIT_STRING))
    if more:
        raise Malformed()
    padded = Secret(scalar.content.rjust(SCALAR_BYTES, b"\0"))  # some writers leave out leading zeros
    if not known:
        return _key_at(point, padded)
    if len(set(known)) > 1:
        raise ValueError("The private key names two different curves; export it again from where it came from.")
    return _agreeing(Key.from_scalar(known[0], padded), point)


def read_curve(parameters: bytes) -> Curve:
    """The curve that the content of an `EC PARAMETERS` block names. Raises ValueError with a sentence."""
    return _curve(read_one(parameters))


def _curve(element: Element) -> Curve:
    if element.tag == der.SEQUENCE:
        raise ValueError("The private key spells its curve out instead of naming it; export it again as a named curve.")
    name = expect(element, der.OID)
    if name not in NAMED_CURVES:
        raise ValueError(f"This is a key on the curve {_OTHER_CURVES.get(name, 'of another name')}; {TAKEN}")
    return NAMED_CURVES[name]


def _algorithm(element: Element) -> tuple[bytes, list[Element]]:
    match read_all(element):
        case [name, *parameters] if len(parameters) <= 1:
            return expect(name, der.OID), parameters
        case _:
            raise Malformed()


def _optional_point(fields: list[Element]) -> bytes | None:
    """The public key after the private one; the attributes before it say nothing the wallet needs."""
    if fields and fields[0].tag == _ATTRIBUTES:
        fields = fields[1:]
    match fields:
        case []:
            return None
        case [Element(tag=tag, content=content)] if tag == _POINT:
            return read_bits(content)
        case [Element(tag=tag, content=content)] if tag == _POINT_INSIDE:
            # Old dfx (by way of `ring`) wraps the BIT STRING, where the standard replaces its tag.
            return read_bits(expect(read_one(content), der.BIT_STRING))
        case _:
            raise Malformed()


def _key_at(point: bytes | None, scalar: Secret) -> Key:
    """The key of a file that names no curve: it is on the one where its public key is its own."""
    if point is None:
        raise ValueError(
            "The private key does not say on which curve it lies; put its EC PARAMETERS block before it, or export it"
            " again as PKCS#8."
        )
    for curve in NAMED_CURVES.values():
        try:
            return _agreeing(Key.from_scalar(curve, scalar), point)
        except ValueError:
            continue
    raise ValueError(_DISAGREE)


def _points(key: Key) -> list[bytes]:
    """The ways to write the key's public point."""
    if key.curve is Curve.ED25519:
        return [key.public_key_der[-SCALAR_BYTES:]]
    point = key.public_key_der[-2 * SCALAR_BYTES - 1 :]
    return [point, bytes([2 + point[-1] % 2]) + point[1 : 1 + SCALAR_BYTES]]


def _agreeing(key: Key, point: bytes | None) -> Key:
    """`key`, unless the public key beside it is another's: then one of the two is damaged, and which is unknowable."""
    if point is not None and point not in _points(key):
        raise ValueError(_DISAGREE)
    return key
