"""Every screen and every ending, reached the way a person reaches them: what is done before, and what is pressed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from textual.pilot import Pilot
from textual.widgets import Footer, Input, OptionList, Select, Static

from tests.builders import BOB, FEE, make_principal
from tests.tui.conftest import BLOCKS_BEFORE, SIGNER, World, until
from tests.tui.fake_ledger import BUSY, TOO_OLD, fill
from wallet.core.account import Account, AccountId
from wallet.core.intent import Intent
from wallet.core.ledger_time import DAY, HOUR, MINUTE, SECOND, LedgerTime
from wallet.core.pack import Operation
from wallet.core.secret import Secret
from wallet.core.value import Case
from wallet.ports import Allowance
from wallet.services.progress import Progress
from wallet.services.session import Session
from wallet.tui.app import WalletApp
from wallet.tui.screens.card import CardScreen
from wallet.tui.screens.intent import IntentScreen

INSUFFICIENT = Case("Err", Case("InsufficientFunds", {"balance": 1_250_000_000}))
BAD_FEE = Case("Err", Case("BadFee", {"expected_fee": 20_000}))
FROZEN = Case("Err", Case("Frozen", {"until": 7}))
CAROL = Account(make_principal(3), bytes(28) + b"\x01\x02\x03\x04")
FULL_SUBACCOUNT = Account(make_principal(4), bytes(range(1, 33)))

Before = Callable[[World, Session], Awaitable[Intent | None]]
Then = Callable[[World, Pilot[None], Intent | None], Awaitable[None]]


def ignore(_: Progress) -> None:
    return None


@dataclass(frozen=True)
class Scene:
    """What the store and the network hold before the wallet is opened, and what is done once its screen is up."""

    name: str
    before: Before
    then: Then


async def confirmed(world: World, session: Session, amount: str = "1.5", wait_s: float = 5.0, **form: str) -> Intent:
    intent = await world.prepared(session, amount, **form)
    return await session.sending.confirm(intent.id, intent.digest, wait_s, ignore)


async def nothing(world: World, session: Session) -> None:
    return None


async def stay(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    return None


# --- what an earlier session left --------------------------------------------------------------------------------


async def success(world: World, session: Session) -> Intent:
    return await confirmed(world, session, memo="invoice 77")


async def already_done(world: World, session: Session) -> Intent:
    intent = await world.prepared(session, memo="invoice 77")
    world.network.pay(intent.arguments)
    world.network.later(2 * SECOND)
    return await session.sending.confirm(intent.id, intent.digest, 5.0, ignore)


async def busy(world: World, session: Session) -> Intent:
    world.network.cues += [BUSY, BUSY, BUSY]
    return await confirmed(world, session, wait_s=30)


async def rejected(world: World, session: Session) -> Intent:
    world.network.cues += [2, 2, 2]
    return await confirmed(world, session, wait_s=30)


async def unknown(world: World, session: Session) -> Intent:
    """Its request was lost; the envelope has not expired, and the first look said nothing."""
    world.network.cues += ["lose_request"] * 20
    lost = await confirmed(world, session, wait_s=0.5)
    world.network.cues.clear()
    return lost


async def never_sent(world: World, session: Session) -> Intent:
    world.network.cues += ["not_sent"] * 20
    intent = await confirmed(world, session, wait_s=20)
    world.network.cues.clear()
    return intent


async def retry_new(world: World, session: Session) -> Intent:
    intent = await world.prepared(session, "20")
    world.network.later(DAY + HOUR)
    return await session.sending.confirm(intent.id, intent.digest, 5.0, ignore)


async def too_old(world: World, session: Session) -> Intent:
    world.network.cues += [TOO_OLD]
    intent = await confirmed(world, session, "20")
    world.network.later(MINUTE)
    return intent


async def fix_input(world: World, session: Session) -> Intent:
    world.network.cues += [BAD_FEE]
    intent = await confirmed(world, session, memo="invoice 77")
    world.network.fee_stated = 2 * FEE
    return intent


async def fail(world: World, session: Session) -> Intent:
    world.network.cues += [INSUFFICIENT]
    return await confirmed(world, session, "900")


async def fail_unclassified(world: World, session: Session) -> Intent:
    world.network.cues += [FROZEN]
    return await confirmed(world, session, "900")


async def reconcile(world: World, session: Session) -> Intent:
    """An unknown whose window has closed; the ledger's history is not to be had."""
    intent = await unknown(world, session)
    fill(world.network, 3)
    world.network.later(DAY + HOUR)
    world.network.archive_silent = True
    return await session.sending.ask(intent.id, ignore)


async def ask(world: World, session: Session) -> Intent:
    intent = await reconcile(world, session)
    return await session.sending.reconcile(intent.id, 30.0, ignore)


async def absent(world: World, session: Session) -> Intent:
    intent = await reconcile(world, session)
    world.network.archive_silent = False
    return await session.sending.reconcile(intent.id, 30.0, ignore)


async def found(world: World, session: Session) -> Intent:
    """Executed behind our back, and nothing but its block tells of it."""
    intent = await unknown(world, session)
    world.network.pay(intent.arguments)
    world.network.later(DAY + HOUR)
    return await session.sending.reconcile(intent.id, 30.0, ignore)


async def superseded(world: World, session: Session) -> Intent:
    old = await retry_new(world, session)
    await session.restamp(old.id, 5.0, ignore)
    return world.found(old)


async def alarm(world: World, session: Session) -> Intent:
    """The block that the ledger names as this payment is another one: another amount, and another payee (R20)."""
    other = await world.prepared(session, "0.15", to=CAROL.text, memo="invoice 77")
    world.network.pay(other.arguments)
    session.preparing.drop(other.id)
    world.network.cues += [Case("Err", Case("Duplicate", {"duplicate_of": BLOCKS_BEFORE}))]
    return await confirmed(world, session, memo="invoice 77")


# --- the other things that can be done -----------------------------------------------------------------------------

SHOP = Account(make_principal(5))
ACCOUNT_ID = AccountId.of(SHOP)


async def prepare_allowance(world: World, session: Session) -> Intent:
    return await world.prepared(session, "5", to=SHOP.text, operation=Operation.APPROVE, lasts="30d")


async def allowed(world: World, session: Session) -> Intent:
    intent = await prepare_allowance(world, session)
    return await session.sending.confirm(intent.id, intent.digest, 5.0, ignore)


async def allowed_before(world: World, session: Session) -> Intent:
    """An allowance that the ledger has already: its block laid beside it."""
    intent = await prepare_allowance(world, session)
    world.network.pay(intent.arguments)
    return await session.sending.confirm(intent.id, intent.digest, 5.0, ignore)


async def allowance_changed(world: World, session: Session) -> Intent:
    world.network.cues += [Case("Err", Case("AllowanceChanged", {"current_allowance": 300_000_000}))]
    return await allowed(world, session)


async def allowance_lost(world: World, session: Session) -> Intent:
    world.network.cues += ["lose_request"] * 20
    intent = await prepare_allowance(world, session)
    lost = await session.sending.confirm(intent.id, intent.digest, 0.5, ignore)
    world.network.cues.clear()
    return lost


async def prepare_revocation(world: World, session: Session) -> Intent:
    await allowed(world, session)
    return await world.prepared(session, "0", to=SHOP.text, operation=Operation.APPROVE)


async def prepare_from_another(world: World, session: Session) -> Intent:
    world.network.balances[CAROL] = 10 * 10**8
    world.network.given[CAROL] = [Allowance(Account(SIGNER), 3 * 10**8)]
    return await world.prepared(
        session, "1.25", to=BOB.text, operation=Operation.TRANSFER_FROM, from_account=CAROL.text, memo="rent"
    )


async def from_another(world: World, session: Session) -> Intent:
    intent = await prepare_from_another(world, session)
    return await session.sending.confirm(intent.id, intent.digest, 5.0, ignore)


async def from_another_refused(world: World, session: Session) -> Intent:
    world.network.cues += [Case("Err", Case("InsufficientAllowance", {"allowance": 100_000_000}))]
    return await from_another(world, session)


async def several_allowances(world: World, session: Session) -> None:
    world.network.given[Account(SIGNER)] = [
        Allowance(SHOP, 5 * 10**8, LedgerTime(world.network.now + 30 * DAY)),
        Allowance(CAROL, 1_000_000 * 10**8),
    ]


async def allowances_not_listed(world: World, session: Session) -> Intent:
    world.network.lists_allowances = False
    return await allowed(world, session)


async def a_busy_week(world: World, session: Session) -> Intent | None:
    await confirmed(world, session, "3", to=CAROL.text, memo="gift")
    await success(world, session)
    await fail(world, session)
    await retry_new(world, session)
    world.network.later(MINUTE)
    await world.prepared(session, "7.25", to=CAROL.text)
    lost = await unknown(world, session)
    world.network.later(3 * MINUTE)
    return lost


# --- what is pressed then -----------------------------------------------------------------------------------------


async def open_it(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    """The intent's own screen, as Home opens it."""
    assert intent is not None
    app = pilot.app
    assert isinstance(app, WalletApp)
    await until(pilot, lambda: not app.work.is_on(intent.id))
    await app.push_screen(IntentScreen(intent.id))
    await pilot.pause()


async def open_card(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    """The card of a prepared intent, at its top."""
    assert intent is not None
    card = CardScreen(intent)
    await pilot.app.push_screen(card)
    # Until it has looked at itself: it says that there is more, or knows that all was shown.
    await until(pilot, lambda: card._was_shown or card.query_one("#card-note", Static).render())


async def awake(world: World, pilot: Pilot[None]) -> None:
    """Read to its end, for as long as a person takes."""
    card = pilot.app.screen
    await pilot.press("end")
    world.clock.seconds += 1
    await until(pilot, lambda: not card.query_one("#confirm").disabled)


async def open_awake_card(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    await open_card(world, pilot, intent)
    await awake(world, pilot)


async def fill_form(pilot: Pilot[None], **typed: str) -> None:
    for name, value in typed.items():
        pilot.app.screen.query_one(f"#{name}", Input).value = value
    await pilot.pause()


async def prepare(world: World, session: Session) -> Intent:
    return await world.prepared(session, memo="invoice 77")


async def prepare_long(world: World, session: Session) -> Intent:
    return await world.prepared(
        session, "8412.60000001", to=FULL_SUBACCOUNT.text, memo_hex="00ff" * 16, from_subaccount="f0" * 32
    )


async def form_with_mistakes(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    await pilot.press("s")
    await fill_form(pilot, to=BOB.text[:-1], amount="1,5", memo="x" * 33, from_subaccount="0x1")


async def form(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    await pilot.press("s")
    await fill_form(pilot, to=BOB.text, amount="1.5", memo="invoice 77")


async def held(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    """Confirmed by hand, and the network takes its time."""
    assert intent is not None
    world.network.cues += ["hold"]
    await open_awake_card(world, pilot, intent)
    await pilot.click("#confirm")
    await until(pilot, lambda: world.network.posts == 1)
    await pilot.pause()


async def restamped(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    await open_it(world, pilot, intent)
    card = pilot.app.screen
    await pilot.click("#restamp")
    await until(pilot, lambda: pilot.app.screen is not card)
    await pilot.pause()


async def corrected(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    await open_it(world, pilot, intent)
    await pilot.click("#correct")
    await pilot.pause()


async def answered(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    await open_it(world, pilot, intent)
    await pilot.click("#answer")
    await pilot.pause()


async def locked(world: World, session: Session) -> Intent:
    intent = await world.prepared(session)
    world.vault.passphrase = Secret("open sesame")
    return intent


async def unlock(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    await open_awake_card(world, pilot, intent)
    await pilot.click("#confirm")
    await pilot.pause()


def choosing(operation: Operation, **typed: str) -> Then:
    """The form of something else than a transfer, filled in."""

    async def choose(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
        await pilot.press("s")
        pilot.app.screen.query_one("#operation", Select).value = operation
        await fill_form(pilot, **typed)

    return choose


async def allowances(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
    await pilot.press("a")
    screen = pilot.app.screen
    listed = screen.query_one("#allowances", OptionList)
    await until(pilot, lambda: "asking" not in str(listed.options[0].prompt))
    footer = screen.query_one(Footer)
    # The list makes room for the note beneath it.
    await until(pilot, lambda: screen.query_one("#allowances-note").region.bottom == footer.region.y)
    await pilot.pause()


def pressing(*keys: str) -> Then:
    async def press(world: World, pilot: Pilot[None], intent: Intent | None) -> None:
        await pilot.press(*keys)
        await pilot.pause()

    return press


async def host_clock_off(world: World, session: Session) -> None:
    world.network.host_clock_offset_ns = 3 * MINUTE


async def unreachable(world: World, session: Session) -> Intent:
    lost = await unknown(world, session)
    world.network.silent = "connection refused"
    return lost


SCENES = [
    Scene("home", a_busy_week, stay),
    Scene("home_quiet", nothing, stay),
    Scene("home_clock_off", host_clock_off, stay),
    Scene("home_unreachable", unreachable, stay),
    Scene("send", nothing, form),
    Scene("send_with_mistakes", nothing, form_with_mistakes),
    Scene("receive", nothing, pressing("v")),
    Scene("help", nothing, pressing("question_mark")),
    Scene("card", prepare, open_card),
    Scene("card_awake", prepare, open_awake_card),
    Scene("card_long", prepare_long, open_card),
    Scene("card_long_awake", prepare_long, open_awake_card),
    Scene("unlock", locked, unlock),
    Scene("sending", prepare, held),
    Scene("success", success, open_it),
    Scene("already_done", already_done, open_it),
    Scene("alarm", alarm, open_it),
    Scene("home_alarm", alarm, stay),
    Scene("retry_same", busy, open_it),
    Scene("rejected", rejected, open_it),
    Scene("never_sent", never_sent, open_it),
    Scene("unknown", unknown, open_it),
    Scene("retry_new", retry_new, open_it),
    Scene("retry_new_too_old", too_old, open_it),
    Scene("restamp", retry_new, restamped),
    Scene("superseded", superseded, open_it),
    Scene("fix_input", fix_input, open_it),
    Scene("fix_input_form", fix_input, corrected),
    Scene("fail", fail, open_it),
    Scene("fail_unclassified", fail_unclassified, open_it),
    Scene("reconcile", reconcile, open_it),
    Scene("ask", ask, open_it),
    Scene("answer", ask, answered),
    Scene("absent", absent, open_it),
    Scene("found", found, open_it),
    Scene("send_to_account_id", nothing, choosing(Operation.TRANSFER, to=ACCOUNT_ID.text, amount="1.5")),
    Scene("allow", nothing, choosing(Operation.APPROVE, to=SHOP.text, amount="5", lasts="30d")),
    Scene("allow_with_mistakes", nothing, choosing(Operation.APPROVE, to=ACCOUNT_ID.text, amount="max", lasts="long")),
    Scene(
        "send_from_another",
        nothing,
        choosing(Operation.TRANSFER_FROM, from_account=CAROL.text, to=BOB.text, amount="1.25", memo="rent"),
    ),
    Scene("card_allowance", prepare_allowance, open_awake_card),
    Scene("card_revocation", prepare_revocation, open_awake_card),
    Scene("card_from_another", prepare_from_another, open_awake_card),
    Scene("allowed", allowed, open_it),
    Scene("allowed_before", allowed_before, open_it),
    Scene("allowance_changed", allowance_changed, open_it),
    Scene("allowance_changed_form", allowance_changed, corrected),
    Scene("allowance_unknown", allowance_lost, open_it),
    Scene("from_another", from_another, open_it),
    Scene("from_another_refused", from_another_refused, open_it),
    Scene("allowances", several_allowances, allowances),
    Scene("allowances_not_listed", allowances_not_listed, allowances),
    Scene("allowances_none", nothing, allowances),
]


async def calm(pilot: Pilot[None]) -> None:
    """Until the network was asked and nothing is at work."""
    app = pilot.app
    assert isinstance(app, WalletApp)
    await until(
        pilot,
        lambda: (app.outlook.balances or app.outlook.trouble) and not any(map(app.work.is_on, app.work.timelines)),
    )
    await pilot.pause()


async def still(pilot: Pilot[None]) -> None:
    """What the next tick would change has changed, and no cursor blinks."""
    assert isinstance(pilot.app, WalletApp)
    pilot.app._tick()
    for field in pilot.app.screen.query(Input):
        field.cursor_blink = False
    await pilot.pause()
