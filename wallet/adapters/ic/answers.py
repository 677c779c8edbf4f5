"""What the agent makes of answers that are no evidence: faults with a sentence, and plain values."""

from collections.abc import Sequence

from wallet.adapters.ic import candid, cbor
from wallet.adapters.ic.transport import Answer
from wallet.adapters.ic.undecodable import Undecodable
from wallet.core.attempt import Evidence, NotSent, Rejected, Reply, Silence, SilenceReason, Status
from wallet.core.errors import NetworkFault
from wallet.core.principal import Principal
from wallet.core.value import Value


class CallRejected(NetworkFault):
    """The canister, or the network for it, refused the call: certified for an update, one node's word for a query."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"The network refused the question (reject code {code}): {message[:300]}")
        self.code = code
        self.message = message


class Unanswered(NetworkFault):
    """No usable answer to a question."""

    def __init__(self, reason: SilenceReason, detail: str) -> None:
        super().__init__(f"The network did not answer: {reason} ({detail}).")
        self.reason = reason
        self.detail = detail


def body_of(answer: Answer) -> cbor.Cbor:
    if not answer.is_cbor:
        raise Undecodable(f"an answer of type {answer.content_type[:80]!a}, not CBOR")
    return cbor.decode(answer.body)


def decoded(raw: bytes, canister: Principal, method: str) -> list[Value]:
    try:
        return candid.decode(raw)
    except Undecodable as why:
        raise NetworkFault(f"The answer of {canister} to {method} cannot be read: {why}.") from None


def detail_of(evidence: NotSent | Silence) -> str:
    return evidence.why if isinstance(evidence, NotSent) else f"{evidence.reason} ({evidence.detail})"


def verdict_of(evidence: Evidence) -> str:
    match evidence:
        case Reply():
            return "replied"
        case Rejected(certified=certified, code=code):
            return f"rejected code={code} certified={certified}"
        case NotSent():
            return "not sent"
        case Status(word=word):
            return f"status {word}"
        case Silence(reason=reason):
            return f"silence {reason}"


def one(values: Sequence[Value], method: str) -> Value:
    """The single result that a method must have. Raises NetworkFault."""
    if len(values) != 1:
        raise NetworkFault(f"{method} answered {len(values)} values instead of one.")
    return values[0]
