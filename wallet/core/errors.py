"""What keeps the wallet from trying: exceptions that carry facts; the sentences are made where a person reads them."""

from typing import Literal


class WalletError(Exception):
    """The root of every error the wallet raises on purpose. Its text is a clear sentence with what to do next."""


class BadInput(WalletError):
    """What was typed or passed cannot be right; nothing was stored or sent.

    `field` names the input (`to`, `amount`, `memo`, ...), `why` is a sentence for a person.
    """

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field
        self.why = why


class Refused(WalletError):
    """The command does not apply to what it was asked of; nothing changed."""


class StoreFault(WalletError):
    """The store cannot be read or written (R32).

    `begin_anew` is advice that leads to an empty store, and sound only where no payment is open; `what` is the rest.
    """

    def __init__(self, what: str, begin_anew: str = "") -> None:
        super().__init__(f"{what} {begin_anew}".rstrip())
        self.what = what
        self.begin_anew = begin_anew


class VaultFault(WalletError):
    """The key store cannot be used: locked, missing, wrong passphrase, damaged."""


class NetworkFault(WalletError):
    """The network is unreachable or not to be trusted, and nothing was sent."""


class UnreadableInterface(NetworkFault):
    """A canister shows an interface that is none: its methods are not known by it."""


class Untrusted(NetworkFault):
    """An answer that does not verify: a forged or stale certificate, another root key (R16)."""


class Taken(WalletError):
    """What was freshly made for an intent is in use already: mint another and try again. Nothing was stored.

    `what` is "id", or "stamp" where the sender has an intent with that very stamp (R11).
    """

    def __init__(self, what: Literal["id", "stamp"]) -> None:
        super().__init__(f"Another intent has this {what}. Prepare it again.")
        self.what = what
