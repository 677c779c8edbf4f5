"""Runs one admitted call on its canister, with whatever faults are armed for it."""

from __future__ import annotations

from typing import Final

from wallet.core.ledger_time import SECOND, LedgerTime
from wallet.devnet import archive, canister
from wallet.devnet.calls import Call, Rejection
from wallet.devnet.canister import NoSuchMethod
from wallet.devnet.faults import Faults
from wallet.devnet.interface import transfers
from wallet.devnet.ledger import Ledger
from wallet.devnet.requests import Message, Rules, Trap
from wallet.devnet.results import made_up
from wallet.devnet.settings import ARCHIVE_ID, LEDGER_ID, DevnetOptions

_ERROR_CODES: Final = {1: "IC0101", 2: "IC0201", 3: "IC0301", 4: "IC0406", 5: "IC0503", 6: "IC0601"}
NO_CANDID: Final = b"\x00these bytes are no Candid"


def rules_at(now: LedgerTime, ledger: Ledger, faults: Faults, *, busy: bool = False) -> Rules:
    """What a call meets at this network time."""
    lag, fee = faults.standing("lag"), faults.standing("fee")
    return Rules(
        now=now - (round(lag.value * SECOND) if lag else 0),
        fee=fee.value if fee else ledger.options.fee,
        busy=busy,
        dedup=faults.standing("no_dedup") is None,
        funds_first=faults.standing("funds_first") is not None,
    )


def is_transfer(call: Call, options: DevnetOptions) -> bool:
    """Whether the counted faults are about this call."""
    return call.canister == LEDGER_ID and call.method in transfers(options)


def rejection(code: int, message: str) -> Rejection:
    return Rejection(code, message, _ERROR_CODES[code])


def execute(call: Call, ledger: Ledger, faults: Faults, now: LedgerTime) -> Call:
    """The call with its end. The ledger has changed where it executed."""
    try:
        if call.canister == ARCHIVE_ID:
            return call.replied(archive.query(ledger, faults, call.method, call.argument))
        if not is_transfer(call, ledger.options):
            return call.replied(canister.update(ledger, _message(call, rules_at(now, ledger, faults))))
        return _transfer(call, ledger, faults, now)
    except NoSuchMethod as why:
        return call.rejected(Rejection(5, f"Error from Canister {call.canister}: {why}", "IC0536"))
    except archive.Stopped as why:
        return call.rejected(Rejection(5, str(why), "IC0508"))
    except Trap as why:
        return call.rejected(trapped(call, str(why)))


def trapped(call: Call, message: str) -> Rejection:
    return rejection(5, f"Error from Canister {call.canister}: Canister called `ic0.trap` with message: '{message}'")


def _transfer(call: Call, ledger: Ledger, faults: Faults, now: LedgerTime) -> Call:
    fault = faults.take("reject", "result", "busy", "twice", "trap_after_commit")
    name = fault.kind.name if fault else ""
    rules = rules_at(now, ledger, faults, busy=name == "busy")
    if fault is not None and name == "reject":
        return call.rejected(rejection(fault.value, f"the embedded network was told to reject with code {fault.value}"))
    if fault is not None and name == "result":
        return call.replied(made_up(call.method, fault.value, ledger, rules))
    before = len(ledger.blocks)
    reply = canister.update(ledger, _message(call, rules))
    if name == "twice":
        reply = canister.update(ledger, _message(call, rules))
    if name == "trap_after_commit" and len(ledger.blocks) > before:
        return call.rejected(trapped(call, "failed to archive blocks"))
    forged = faults.standing("tamper")
    if forged is not None and forged.value == "reply":
        faults.take("tamper")
        reply = NO_CANDID
    return call.replied(reply)


def _message(call: Call, rules: Rules) -> Message:
    return Message(call.method, call.sender, call.argument, rules)
