"""The network behind the endpoints: its time, its calls, its canisters, and the certificates over all of it."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from wallet.core.account import Account
from wallet.core.ledger_time import MINUTE, SECOND, LedgerTime
from wallet.core.principal import Principal
from wallet.devnet import archive, canister
from wallet.devnet.calls import Call, Calls, Rejection
from wallet.devnet.canister import NoSuchMethod, tip_tree
from wallet.devnet.clock import NetworkClock
from wallet.devnet.execution import execute, is_transfer, rejection, rules_at, trapped
from wallet.devnet.faults import Faults
from wallet.devnet.hash_tree import Node, Path, tree
from wallet.devnet.ingress import Ingress, hash_of_map
from wallet.devnet.interface import ARCHIVE_DID, ledger_did
from wallet.devnet.keys import NetworkKeys
from wallet.devnet.ledger import Ledger
from wallet.devnet.requests import Message, Trap
from wallet.devnet.settings import ARCHIVE_ID, LEDGER_ID, MINTER, DevnetOptions
from wallet.devnet.state import State
from wallet.devnet.state_tree import Canister, Layout, certificate, delegation, state_root

_DELEGATION_AGE_NS = 5 * MINUTE


class Network:
    """One subnet with the ledger and its archive. Everything it shows is on disk before it is shown."""

    def __init__(self, options: DevnetOptions, state: State, host_ns: Callable[[], int] = time.time_ns) -> None:
        self.options = options
        self.faults = Faults()
        self.keys = NetworkKeys.from_seed(state.seed, delegated=options.delegation != "none")
        self._state = state
        self.clock = NetworkClock(*state.clock(), host_ns)
        self._stale: tuple[Ledger, dict[Layout, bytes]] | None = None
        self._delegations: dict[Layout, tuple[LedgerTime, dict[str, bytes]]] = {}
        self._subnet = {label: tree(source) for label, source in self.keys.subnet.described().items()}
        self._load()

    def _load(self) -> None:
        self.ledger = Ledger(self.options, self._state.blocks())
        self.calls = Calls()
        for call in self._state.calls():
            self.calls.put(call)

    def now(self) -> LedgerTime:
        """The network's time; what was due by then has run, what expired is forgotten."""
        now = self.clock.now()
        for call in self.calls.pending():
            # It ran when it was due, even where the clock has jumped since; past its expiry nothing starts.
            if call.due is not None and call.due <= min(now, call.expiry):
                self._run(call, call.due)
        gone = self.calls.prune(now)
        if gone:
            self._save(gone=gone)
        return now

    def next_due_s(self) -> float | None:
        """Seconds of network time until a delayed call runs."""
        pending = self.calls.pending()
        return max(0.0, ((pending[0].due or 0) - self.clock.now()) / SECOND) if pending else None

    def submit(self, request: Ingress) -> Call:
        """Admit a call and run it, or return what became of this request id before: it never runs twice."""
        now = self.now()
        known = self.calls.get(request.id)
        if known is not None:
            return known
        call = Call(request.id, request.sender, request.canister, request.method, request.argument, request.expiry)
        delay = self.faults.take("delay") if is_transfer(call, self.options) else None
        if delay is not None:
            call = replace(call, due=LedgerTime(now + round(delay.value * SECOND)))
            self._save(calls=[call])
            self.calls.put(call)
            return call
        return self._run(call, now)

    def _run(self, call: Call, now: LedgerTime) -> Call:
        before = len(self.ledger.blocks)
        ended = replace(execute(call, self.ledger, self.faults, now), due=None)
        if is_transfer(call, self.options):
            shown = self.faults.take("forget_status", "done_status")
            if shown is not None and shown.kind.name == "forget_status":
                ended = replace(ended, hidden=True)
            elif shown is not None:
                ended = replace(ended, status="done")
        self._save(blocks=self.ledger.blocks[before:], calls=[ended])
        self.calls.put(ended)
        return ended

    def _save(self, **changes: Any) -> None:
        try:
            self._state.save(clock=self.clock.saved, **changes)
        except sqlite3.Error:
            self._load()  # what is not on disk did not happen
            raise

    def refusal(self, canister_id: Principal) -> Rejection | None:
        """Why no node takes a call for this canister, if so."""
        if canister_id in (LEDGER_ID, ARCHIVE_ID):
            return None
        return rejection(3, f"Canister {canister_id} not found")

    def query(self, request: Ingress, layout: Layout) -> bytes | Rejection:
        """One node's answer to a query: the reply's bytes, or a rejection."""
        now = self.now()
        refused = self.refusal(request.canister)
        if refused is not None:
            return refused
        ledger, certificates = self._stale or (self.ledger, None)
        call = Call(request.id, request.sender, request.canister, request.method, request.argument, request.expiry)
        try:
            if request.canister == ARCHIVE_ID:
                return archive.query(ledger, self.faults, request.method, request.argument)
            tip = certificates[layout] if certificates else self._tip_certificate(request.method, layout)
            message = Message(request.method, request.sender, request.argument, rules_at(now, ledger, self.faults), tip)
            return canister.query(ledger, message)
        except NoSuchMethod as why:
            return Rejection(5, f"Error from Canister {request.canister}: {why}", "IC0536")
        except archive.Stopped as why:
            return Rejection(5, str(why), "IC0508")
        except Trap as why:
            return trapped(call, str(why))

    def _tip_certificate(self, method: str, layout: Layout) -> bytes | None:
        if method != "icrc3_get_tip_certificate":
            return None
        return self.certificate([(b"canister", LEDGER_ID.raw, b"certified_data")], layout)

    def root(self, now: LedgerTime, statuses: Node | None = None) -> Node:
        """The state tree at this time; `statuses` in place of the true ones where a forger asks."""
        return state_root(now, self._subnet, self._canisters(), self.calls.statuses if statuses is None else statuses)

    def certificate(self, paths: Iterable[Path], layout: Layout) -> bytes:
        """The state now, pruned to these paths, with the delegation as this endpoint has it."""
        now = self.now()
        return certificate(self.root(now), paths, self.keys.subnet_key, self.delegation(layout, now))

    def delegation(self, layout: Layout, now: LedgerTime) -> dict[str, bytes] | None:
        """The root's word for this subnet, a few minutes old at most; None where the root key signs itself."""
        if self.options.delegation == "none":
            return None
        if self.options.delegation != "mainnet":
            layout = self.options.delegation
        made = self._delegations.get(layout)
        if made is None or now - made[0] > _DELEGATION_AGE_NS:
            made = (now, delegation(self.keys.root, self.keys.subnet, now, layout))
            self._delegations[layout] = made
        return made[1]

    def _canisters(self) -> dict[bytes, Canister]:
        def described(certified: bytes, did: str) -> Canister:
            metadata = {b"candid:service": did.encode()}
            return Canister(certified, hashlib.sha256(did.encode()).digest(), (MINTER.raw,), metadata)

        return {
            LEDGER_ID.raw: described(tip_tree(self.ledger).digest, ledger_did(self.options)),
            ARCHIVE_ID.raw: described(b"", ARCHIVE_DID),
        }

    def node_signature(self, answer: dict[str, Any], request_id: bytes, now: LedgerTime) -> dict[str, Any]:
        """The node's signature over a query's answer."""
        digest = hash_of_map({**answer, "timestamp": now, "request_id": request_id})
        signature = self.keys.node.sign(b"\x0bic-response" + digest)
        return {"timestamp": now, "signature": signature, "identity": self.keys.node_id.raw}

    def fund(self, account: Account, amount: int) -> int:
        """Mint to an account and return the block's index. Raises Declined where the supply would not fit."""
        index = self.ledger.mint(account, amount, self.now())
        self._save(blocks=self.ledger.blocks[index:])
        return index

    def freeze_queries(self) -> None:
        """From now on queries see the state of this moment."""
        tips: dict[Layout, bytes] = {}
        for layout in ("flat", "sharded"):
            tips[layout] = self.certificate([(b"canister", LEDGER_ID.raw, b"certified_data")], layout)
        self._stale = (self.ledger.snapshot(), tips)

    def thaw_queries(self) -> None:
        self._stale = None

    def jump(self, seconds: float) -> None:
        """Set the network's time ahead for good."""
        self.clock.jump(round(seconds * SECOND))
        self.now()
        self._save()
