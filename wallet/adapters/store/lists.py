"""The person's lists: networks, ledgers, identities and settings, and the highest time seen of each network."""

import json
import sqlite3
from collections.abc import Callable
from typing import TypeVar

from wallet.adapters.store.database import Database, stored_time
from wallet.adapters.store.faults import damaged
from wallet.core.account import Account
from wallet.core.errors import Refused
from wallet.core.ledger_time import DedupWindow, LedgerTime
from wallet.core.principal import Principal
from wallet.ports import IdentityEntry, LedgerEntry, LedgerTerms, NetworkEntry

T = TypeVar("T")


class PersonLists:
    """The part of the `Store` protocol that is about the person's lists; wallet/ports.py has the contract."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # networks

    def networks(self) -> list[NetworkEntry]:
        return self._list(
            lambda row: NetworkEntry(row["name"], row["url"], row["root_key"]), "SELECT * FROM network ORDER BY name"
        )

    def add_network(self, entry: NetworkEntry) -> None:
        """Refused where the name is in use: a pinned root key is never replaced."""
        with self._database.writing() as connection:
            added = connection.execute(
                "INSERT INTO network (name, url, root_key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (entry.name, entry.url, entry.root_key),
            )
            if added.rowcount != 1:
                raise Refused(f"There is a network {entry.name} already. Remove it first, or choose another name.")

    def remove_network(self, name: str) -> bool:
        return self._change("DELETE FROM network WHERE name = ?", name)

    # ledgers

    def ledgers(self, root_key: bytes) -> list[LedgerEntry]:
        return self._list(_ledger, "SELECT * FROM ledger WHERE root_key = ? ORDER BY name", root_key)

    def put_ledger(self, entry: LedgerEntry) -> None:
        """Refused where another ledger of that network has the name."""
        terms, window = entry.terms, entry.window
        row: dict[str, str | bytes | int | None] = {
            "root_key": entry.root_key,
            "canister": terms.canister.text,
            "name": entry.name,
            "full_name": terms.name,
            "symbol": terms.symbol,
            "decimals": terms.decimals,
            "fee": str(terms.fee),
            "minting_account": None if terms.minting_account is None else terms.minting_account.text,
            "standards_json": json.dumps(terms.standards),
            "max_memo_bytes": str(terms.max_memo_bytes),
            "tx_window_ns": stored_time(window.tx_window_ns),
            "drift_ns": stored_time(window.drift_ns),
            "window_assumed": window.assumed,
            "dedup_proven": entry.dedup_proven,
            "dedup_broken": entry.dedup_broken,
        }
        with self._database.writing() as connection:
            namesake = connection.execute(
                "SELECT canister FROM ledger WHERE root_key = ? AND name = ? AND canister <> ?",
                (entry.root_key, entry.name, terms.canister.text),
            ).fetchone()
            if namesake is not None:
                raise Refused(f"The name {entry.name} is that of the ledger {namesake[0]}. Choose another name.")
            connection.execute(
                f"INSERT OR REPLACE INTO ledger ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
                tuple(row.values()),
            )

    def remove_ledger(self, root_key: bytes, canister: Principal) -> bool:
        return self._change("DELETE FROM ledger WHERE root_key = ? AND canister = ?", root_key, canister.text)

    # identities

    def identities(self) -> list[IdentityEntry]:
        return self._list(_identity, "SELECT * FROM identity ORDER BY name")

    def put_identity(self, entry: IdentityEntry) -> None:
        """Add, or replace the entry of the same name."""
        self._change(
            "INSERT OR REPLACE INTO identity (name, principal, curve, backed_up, kept_in) VALUES (?, ?, ?, ?, ?)",
            entry.name,
            entry.principal.text,
            entry.curve,
            entry.backed_up,
            entry.kept_in,
        )

    def remove_identity(self, name: str) -> bool:
        return self._change("DELETE FROM identity WHERE name = ?", name)

    # settings and time

    def setting(self, key: str) -> str | None:
        found = self._list(lambda row: str(row["value"]), "SELECT value FROM setting WHERE key = ?", key)
        return found[0] if found else None

    def put_setting(self, key: str, value: str) -> None:
        self._change("INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)", key, value)

    def network_time(self, root_key: bytes) -> LedgerTime | None:
        found = self._list(
            lambda row: LedgerTime(row["time"]), "SELECT time FROM network_time WHERE root_key = ?", root_key
        )
        return found[0] if found else None

    def put_network_time(self, root_key: bytes, time: LedgerTime) -> None:
        """The highest one is kept."""
        self._change(
            "INSERT INTO network_time (root_key, time) VALUES (?, ?)"
            " ON CONFLICT DO UPDATE SET time = excluded.time WHERE excluded.time > time",
            root_key,
            stored_time(time),
        )

    def _list(self, read: Callable[[sqlite3.Row], T], query: str, *parameters: str | bytes) -> list[T]:
        with self._database.reading() as connection:
            rows = connection.execute(query, parameters).fetchall()
        try:
            return [read(row) for row in rows]
        except (ValueError, TypeError) as error:
            raise damaged(self._database.path, str(error)) from error

    def _change(self, statement: str, *parameters: str | bytes | int) -> bool:
        with self._database.writing() as connection:
            return connection.execute(statement, parameters).rowcount > 0


def _ledger(row: sqlite3.Row) -> LedgerEntry:
    minting_account = row["minting_account"]
    terms = LedgerTerms(
        canister=Principal.from_text(row["canister"]),
        name=row["full_name"],
        symbol=row["symbol"],
        decimals=row["decimals"],
        fee=int(row["fee"]),
        minting_account=None if minting_account is None else Account.from_text(minting_account),
        standards=tuple(json.loads(row["standards_json"])),
        max_memo_bytes=int(row["max_memo_bytes"]),
    )
    window = DedupWindow(row["tx_window_ns"], row["drift_ns"], bool(row["window_assumed"]))
    proven, broken = bool(row["dedup_proven"]), bool(row["dedup_broken"])
    return LedgerEntry(row["root_key"], row["name"], terms, window, dedup_proven=proven, dedup_broken=broken)


def _identity(row: sqlite3.Row) -> IdentityEntry:
    return IdentityEntry(
        row["name"], Principal.from_text(row["principal"]), row["curve"], bool(row["backed_up"]), row["kept_in"]
    )
