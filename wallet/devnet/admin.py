"""The admin address: arm and clear faults, fund accounts, read the blocks. JSON, amounts as digits."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from wallet.core.account import Account
from wallet.devnet.faults import Armed, BadFault, known
from wallet.devnet.http import Request, Response
from wallet.devnet.network import Network
from wallet.devnet.requests import Declined

PATH: Final = "/admin"


class _Refused(Exception):
    """Nothing was done; the text is a sentence."""


class Admin:
    """`vanish` makes the server refuse connections for so many seconds."""

    def __init__(self, network: Network, vanish: Callable[[float], None]) -> None:
        self._network = network
        self._vanish = vanish

    def answer(self, request: Request) -> Response:
        if request.origin is not None:
            # Any page open in a browser on this machine could post here.
            return _json(403, {"error": "the admin address is not for web pages"})
        try:
            match request.method, request.path.removeprefix(PATH).rstrip("/"):
                case "GET", "/faults":
                    return _json(200, {"armed": self._network.faults.as_json(), "known": known()})
                case "POST", "/faults":
                    return _json(200, self._arm(_object(request.body)))
                case "DELETE", "/faults":
                    self.disarm()
                    return _json(200, {"armed": []})
                case "GET", "/blocks":
                    return _json(200, [block.as_json() for block in self._network.ledger.blocks])
                case "POST", "/fund":
                    return _json(200, self._fund(_object(request.body)))
                case _:
                    return _json(404, {"error": "the admin address has /faults, /blocks and /fund"})
        except (_Refused, BadFault) as why:
            return _json(400, {"error": str(why)})

    def _arm(self, wanted: dict[str, Any]) -> dict[str, Any]:
        unknown = wanted.keys() - {"fault", "times", "value"}
        if unknown:
            raise _Refused(f"unknown field {min(unknown)}; a fault has fault, times and value")
        return self.arm(wanted.get("fault"), wanted.get("value"), wanted.get("times")).as_json()

    def arm(self, name: object, value: object = None, times: object = None) -> Armed:
        """Raises BadFault for what there is not."""
        armed = self._network.faults.arm(name, value, times)
        match armed.kind.name:
            case "clock":
                self._network.jump(armed.value)
            case "stop":
                self._vanish(armed.value)
            case "stale_queries":
                self._network.freeze_queries()
        return armed

    def disarm(self) -> None:
        self._network.faults.clear()
        self._network.thaw_queries()

    def _fund(self, wanted: dict[str, Any]) -> dict[str, Any]:
        account, amount = wanted.get("account"), wanted.get("amount")
        if not isinstance(account, str):
            raise _Refused("account takes an ICRC-1 account text")
        if not isinstance(amount, str) or not (amount.isascii() and amount.isdigit() and len(amount) <= 80):
            raise _Refused("amount takes base units as a string of digits")
        try:
            to = Account.from_text(account)
        except ValueError as why:
            raise _Refused(str(why)) from None
        if to == self._network.ledger.minting:
            raise _Refused("the minting account holds no tokens")
        try:
            index = self._network.fund(to, int(amount))
        except Declined:
            raise _Refused("the ledger cannot count so many tokens") from None
        return {"block": str(index), "balance": str(self._network.ledger.balance(to))}


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise _Refused("the body is not JSON") from None
    if not isinstance(value, dict):
        raise _Refused("the body is not a JSON object")
    return value


def _json(status: int, value: Any) -> Response:
    return Response(status, json.dumps(value).encode() + b"\n", "application/json")
