"""The calls the network has taken, their status, and the part of the state tree that shows it."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from wallet.core.icrc3 import leb128
from wallet.core.ledger_time import LedgerTime
from wallet.core.principal import Principal
from wallet.devnet.hash_tree import Empty, Node, Source, inserted, removed, tree

Status: TypeAlias = Literal["received", "replied", "rejected", "done"]
ENDED: Final = frozenset({"replied", "rejected", "done"})


@dataclass(frozen=True, slots=True)
class Rejection:
    code: int
    message: str
    error_code: str


@dataclass(frozen=True, slots=True)
class Call:
    """One request id. `hidden`: its status is never shown. `due`: when it executes, in network time, while received."""

    id: bytes
    sender: Principal
    canister: Principal
    method: str
    argument: bytes
    expiry: LedgerTime
    status: Status = "received"
    reply: bytes | None = None
    rejection: Rejection | None = None
    hidden: bool = False
    due: LedgerTime | None = None

    def replied(self, reply: bytes) -> Call:
        return replace(self, status="replied", reply=reply, due=None)

    def rejected(self, rejection: Rejection) -> Call:
        return replace(self, status="rejected", rejection=rejection, due=None)

    @property
    def described(self) -> Node:
        """Its subtree below `/request_status/<id>`."""
        content: dict[bytes, Source] = {b"status": self.status.encode()}
        if self.status == "replied" and self.reply is not None:
            content[b"reply"] = self.reply
        if self.status == "rejected" and self.rejection is not None:
            content[b"reject_code"] = leb128(self.rejection.code)
            content[b"reject_message"] = self.rejection.message.encode()
            content[b"error_code"] = self.rejection.error_code.encode()
        return tree(content)


class Calls:
    """Every call until its expiry has passed; a request id that is here never runs again."""

    def __init__(self) -> None:
        self._by_id: dict[bytes, Call] = {}
        self._waiting: dict[bytes, Call] = {}
        self._by_expiry: list[tuple[int, bytes]] = []
        self.statuses: Node = Empty()

    def get(self, request_id: bytes) -> Call | None:
        return self._by_id.get(request_id)

    def put(self, call: Call) -> None:
        """Add a call, or replace what was known of it."""
        if call.id not in self._by_id:
            heapq.heappush(self._by_expiry, (call.expiry, call.id))
        self._by_id[call.id] = call
        if call.due is not None:
            self._waiting[call.id] = call
        else:
            self._waiting.pop(call.id, None)
        if call.hidden:
            self.statuses = removed(self.statuses, call.id)
        else:
            self.statuses = inserted(self.statuses, call.id, call.described)

    def pending(self) -> list[Call]:
        """Those that wait for their time, the earliest first."""
        return sorted(self._waiting.values(), key=lambda call: call.due or 0)

    def prune(self, now: LedgerTime) -> list[bytes]:
        """Forget what cannot start any more; the ids forgotten."""
        gone = []
        while self._by_expiry and self._by_expiry[0][0] < now:
            _, request_id = heapq.heappop(self._by_expiry)
            del self._by_id[request_id]
            self._waiting.pop(request_id, None)
            self.statuses = removed(self.statuses, request_id)
            gone.append(request_id)
        return gone
