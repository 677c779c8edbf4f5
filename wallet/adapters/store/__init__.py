"""The SQLite store."""

from wallet.adapters.store.sqlite_store import SqliteStore, open_store

__all__ = ["SqliteStore", "open_store"]
