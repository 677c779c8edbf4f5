"""The person's identities: keys made, brought in, taken out, and the one in use (design, section 6)."""

from dataclasses import replace
from pathlib import Path

from wallet.core.errors import BadInput, Refused
from wallet.core.names import check_name
from wallet.core.principal import Principal
from wallet.ports import IdentityEntry, Key, KeyFiles, Store, Vault

CURRENT = "identity"
"""The setting that names the identity in use."""


class Identities:
    """Names for keys. The key itself only ever passes between the key files and the vault."""

    def __init__(self, store: Store, vault: Vault, files: KeyFiles) -> None:
        self._store = store
        self._vault = vault
        self._files = files

    def all(self) -> list[IdentityEntry]:
        return self._store.identities()

    def find(self, name: str | None) -> IdentityEntry:
        """The identity of this name, or the one in use. Raises BadInput where there is none."""
        wanted = name or self._store.setting(CURRENT)
        for each in self.all():
            if each.name == wanted:
                return each
        if name is None:
            raise BadInput("identity", "there is no identity yet: make one with wallet identity new NAME")
        raise BadInput("identity", f"there is no identity {name!r}; see wallet identity list")

    def current(self) -> IdentityEntry | None:
        name = self._store.setting(CURRENT)
        return next((each for each in self.all() if each.name == name), None)

    def new(self, name: str, curve: str) -> IdentityEntry:
        """A new key; it is not backed up until it is exported."""
        self._check_name(name)
        return self._keep(name, self._files.generate(curve), backed_up=False)

    def bring_in(self, name: str, pem: Path) -> IdentityEntry:
        """A key from a PEM file, which is a backup of it."""
        self._check_name(name)
        key = self._files.read(pem)
        for each in self.all():
            if each.principal == key.principal:
                raise BadInput("pem", f"this key is here already, as {each.name}")
        return self._keep(name, key, backed_up=True)

    def use(self, name: str) -> IdentityEntry:
        entry = self.find(name)
        self._store.put_setting(CURRENT, entry.name)
        return entry

    def take_out(self, name: str, path: Path, *, plain: bool, replace_file: bool = False) -> IdentityEntry:
        """Write the key's file, encrypted unless `plain`; from then on it counts as backed up."""
        entry = self.find(name)
        self._files.write(path, self._vault.get(entry.principal), plain=plain, replace=replace_file)
        backed_up = replace(entry, backed_up=True)
        self._store.put_identity(backed_up)
        return backed_up

    def remove(self, name: str) -> IdentityEntry:
        """Forget an identity and its key. Refused while a payment of it is unsettled: only its key can ask about it."""
        entry = self.find(name)
        if not entry.backed_up:
            raise Refused(
                f"{name} is not backed up: export it first, or its key is gone. wallet identity export {name} -o FILE"
            )
        unsettled = [each.id for each in self._store.intents(unsettled=True) if each.sender == entry.principal]
        if unsettled:
            raise Refused(
                f"{name} has unsettled payments ({', '.join(unsettled)}): only its key can ask what became of them."
            )
        self._vault.remove(entry.principal)
        self._store.remove_identity(name)
        return entry

    def name_of(self, principal: Principal) -> str | None:
        return next((each.name for each in self.all() if each.principal == principal), None)

    def _keep(self, name: str, key: Key, *, backed_up: bool) -> IdentityEntry:
        # The key first: an identity without its key would be a promise that cannot be kept.
        self._vault.put(key.principal, key.pkcs8())
        entry = IdentityEntry(name, key.principal, str(key.curve), backed_up, self._vault.kind)
        self._store.put_identity(entry)
        if self.current() is None:
            self._store.put_setting(CURRENT, name)
        return entry

    def _check_name(self, name: str) -> None:
        check_name(name)
        if any(each.name == name for each in self.all()):
            raise BadInput("name", f"there is an identity {name!r} already")
