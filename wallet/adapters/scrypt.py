"""scrypt (RFC 7914): a key from a passphrase, at a cost that makes guessing dear."""

from dataclasses import dataclass

from cryptography.hazmat.primitives.kdf import scrypt

from wallet.core.secret import Secret

# What a file may ask of this machine: half a gigabyte, and some seconds.
_MOST_BYTES, _MOST_WORK = 2**29, 2**25


class TooCostly(ValueError):
    """The numbers make no sense, or ask for more than this machine should give, or has."""


@dataclass(frozen=True, slots=True)
class Cost:
    """scrypt's n (a power of two), r and p: memory is 128 * n * r bytes, work grows with n * r * p."""

    n: int
    r: int
    p: int

    @property
    def is_valid(self) -> bool:
        return self.n > 1 and self.n & (self.n - 1) == 0 and self.r > 0 and self.p > 0

    def derive(self, passphrase: Secret, salt: bytes, length: int = 32) -> Secret:
        """The key, `length` bytes. Raises TooCostly."""
        if not self.is_valid or 128 * self.n * self.r > _MOST_BYTES or self.n * self.r * self.p > _MOST_WORK:
            raise TooCostly
        try:
            return Secret(scrypt.Scrypt(salt, length, self.n, self.r, self.p).derive(passphrase.reveal()))
        except MemoryError:
            raise TooCostly from None
