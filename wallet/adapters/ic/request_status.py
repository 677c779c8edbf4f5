"""What a verified certificate says became of one request, as evidence (R16-R18)."""

from wallet.adapters.ic import candid
from wallet.adapters.ic.certificate import VerifiedCertificate, read_leb128
from wallet.adapters.ic.hash_tree import Missing
from wallet.adapters.ic.undecodable import Undecodable
from wallet.core.attempt import Evidence, Rejected, Reply, Silence, SilenceReason, Status, StatusWord


def read_status(certificate: VerifiedCertificate, request_id: bytes) -> Evidence:
    """Reply, certified Rejected or Status; Silence where the certificate does not show what it would have to."""

    def at(field: str) -> bytes | Missing:
        return certificate.lookup(b"request_status", request_id, field.encode())

    match at("status"):
        case Missing.ABSENT:
            return Status(StatusWord.ABSENT, certificate.raw, certificate.time)
        case b"received" | b"processing" | b"done" as word:
            return Status(StatusWord(word.decode()), certificate.raw, certificate.time)
        case b"replied":
            return _reply(certificate, at("reply"))
        case b"rejected":
            return _rejection(certificate, at("reject_code"), at("reject_message"), at("error_code"))
        case Missing.UNKNOWN:
            return Silence(SilenceReason.UNREADABLE, "the certificate does not show the state of this request")
        case _:
            return Silence(SilenceReason.UNREADABLE, "the certificate gives this request a state that is unknown to us")


def _reply(certificate: VerifiedCertificate, raw: bytes | Missing) -> Evidence:
    if isinstance(raw, Missing):
        return Silence(SilenceReason.UNREADABLE, "the certificate says that there is a reply and does not show it")
    try:
        return Reply(candid.decode(raw), raw, certificate.raw, certificate.time)
    except Undecodable as why:
        return Status(StatusWord.UNREADABLE, certificate.raw, certificate.time, str(why))


def _rejection(
    certificate: VerifiedCertificate, code: bytes | Missing, message: bytes | Missing, error_code: bytes | Missing
) -> Evidence:
    try:
        if isinstance(code, Missing):
            raise Undecodable("no code")
        number = read_leb128(code)
    except Undecodable:
        return Silence(SilenceReason.UNREADABLE, "the certificate says rejected and does not show a readable code")
    return Rejected(
        code=number,
        message=_text(message) or "",
        certified=True,
        error_code=_text(error_code),
        certificate=certificate.raw,
        time=certificate.time,
    )


def _text(raw: bytes | Missing) -> str | None:
    return None if isinstance(raw, Missing) else raw.decode("utf-8", "replace")
