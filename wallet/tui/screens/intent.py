"""One intent: the timeline while it is sent, and one look for every way it can end."""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Footer, Static

from wallet.core.attempt import Attempt, Rejected, Reply, Silence, SilenceReason, Status, StatusWord
from wallet.core.finding import Absent, CannotTell, Finding, Found, LookedAgain
from wallet.core.intent import Duplicate, Intent, State
from wallet.core.ledger_time import SECOND, LedgerTime
from wallet.core.lifecycle import RETRY_SAME_LIMIT
from wallet.core.outcome import OutcomeClass
from wallet.core.pack import Pack
from wallet.services.progress import Progress, Stage
from wallet.services.wording import explanation, field_to_fix, headline, plain
from wallet.tui import beside, text
from wallet.tui.wallet_screen import WalletScreen
from wallet.tui.widgets.status_bar import StatusBar

STEPS = {
    "stored": "the signed call is on disk, before its first byte is sent",
    "sent": "the call is on its way to the network",
    "received": "the network has taken the call",
    "executed": "the ledger has run the call and answered it",
    "certified": "the answer carries the network's signature, and it was verified",
    "settled": "it is known for good what became of the money",
}
BAR = 24


class IntentScreen(WalletScreen):
    """Reads its intent from the store whenever something changed; leaving it never stops anything."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="intent.leave", tooltip="Back to Home; a send goes on"),
        Binding("a", "ask", "Ask", id="intent.ask", tooltip="Ask what became of it; nothing is sent"),
        Binding("g", "again", "Again", id="intent.again", tooltip="Send the same bytes again, where the rules allow"),
        Binding("l", "look", "History", id="intent.look", tooltip="Read the ledger's blocks for it"),
    ]

    def __init__(self, intent_id: str, existing: bool = False) -> None:
        super().__init__()
        self.intent_id = intent_id
        self._existing = existing
        self._shown_buttons: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        yield StatusBar(id="status")
        with VerticalScroll(id="intent", can_focus=True):
            yield Static(id="intent-text")
        with Horizontal(id="actions"):
            for name, label in _BUTTONS.items():
                yield Button(label, id=name)
        yield Footer(show_command_palette=True)

    def on_mount(self) -> None:
        self.look()

    def on_resize(self) -> None:
        self.look()

    @property
    def intent(self) -> Intent:
        found = self.wallet.session.intent(self.intent_id)
        assert found is not None  # intents are never deleted
        return found

    def tick(self) -> None:
        super().tick()
        if self.wallet.waits_s(self.intent_id):
            self.query_one("#intent-text", Static).update(text.lines(self._rows(self.intent)))

    def show_changes(self) -> None:
        intent = self.intent
        panel = self.query_one("#intent")
        what = f"{text.amount_short(intent, intent.card.amount)} → {self.wallet.name_of(intent.card.recipient)}"
        panel.border_title = Content(what)  # never a string: that would be read as markup
        panel.border_subtitle = intent.id
        self.query_one("#intent-text", Static).update(text.lines(self._rows(intent)))
        self._offer(intent)
        self.tick()

    # --- what is shown ---

    def _rows(self, intent: Intent) -> list[Content]:
        timeline = self.wallet.timelines.get(intent.id, [])
        is_busy = self.wallet.is_working_on(intent.id)
        rows = []
        if self._existing:
            rows += [text.line(("You have prepared this before; it is unchanged.", "$text-primary")), text.line("")]
        rows += [text.alarm(each) for each in intent.alarms]
        is_starting = is_busy and intent.state is State.PREPARED
        if is_starting:
            # Not "sending": until it is on disk, a wallet that ends here leaves it prepared (R29).
            rows.append(
                text.line(text.mark(intent), "  You confirmed it. It goes to disk now, and then to the network.")
            )
        else:
            rows.append(text.line(text.mark(intent), "  ", headline(intent)))
        why = "" if is_starting else explanation(intent)
        if why:
            rows.append(text.line((why, "$text-muted")))
        if intent.attempts:
            rows.append(text.line(""))
            rows.append(_steps(intent, is_busy))
            rows += _meaning(intent) if is_busy else []
            rows += _attempts(intent)
        if is_busy and timeline:
            rows += _now(timeline[-1], self.wallet.waits_s(intent.id))
            rows.append(
                text.line(("You can leave this screen: it goes on, and a closed wallet picks it up.", "$text-muted"))
            )
        rows += self._ending(intent)
        return rows

    def _ending(self, intent: Intent) -> list[Content]:
        rows = [text.line("")]
        if intent.duplicate is not None:
            rows += [beside.intent_and_block(intent, intent.duplicate), text.line("")]
        elif intent.is_settled and intent.outcome.moved:
            rows.append(
                text.labelled("left", text.amount(intent, intent.card.total), ("  fee included", "$text-muted"))
            )
            held = self.wallet.balance_of(intent.ledger)
            if held is not None and intent.card.sender.subaccount is None:
                rows.append(text.labelled("balance", text.amount(intent, held)))
        found = [each.block for each in intent.findings if isinstance(each, Found)]
        if found and intent.duplicate is None and intent.outcome.moved:
            rows += [beside.intent_and_block(intent, Duplicate(found[-1])), text.line("")]
        latest = {type(each): each for each in intent.findings}
        rows += [_finding(each, intent) for each in latest.values()]
        width = self.query_one("#intent").scrollable_content_region.width
        rows += text.account_rows("to", intent.card.recipient, width)
        rows += text.folded("memo", text.memo(intent.card.memo), width)
        rows.append(text.labelled("stamp", beside.exact(intent.stamp), ("  ledger's clock", "$text-muted")))
        rows.append(text.labelled("bytes", f"{intent.method} · digest {text.grouped(intent.digest)}"))
        if intent.supersedes:
            rows.append(text.labelled("replaces", intent.supersedes))
        return rows

    # --- what can be done ---

    def _offer(self, intent: Intent) -> None:
        is_busy = self.wallet.is_working_on(intent.id)
        names = () if intent.dropped else _offers(intent)
        for name in _BUTTONS:
            button = self.query_one(f"#{name}", Button)
            button.display = name in names
            button.disabled = is_busy
        if names != self._shown_buttons:
            self._shown_buttons = names
            self.refresh_bindings()
            self.query_one(f"#{names[0]}" if names else "#intent").focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        intent = self.intent
        match event.button.id:
            case "leave":
                self.action_leave()
            case "ask":
                self.action_ask()
            case "again":
                self.action_again()
            case "look":
                self.action_look()
            case "restamp":
                self._with_key(intent, self.wallet.restamp)
            case "correct":
                from wallet.tui.screens.send import SendScreen

                self.app.switch_screen(SendScreen(intent, field_to_fix(intent)))
            case "drop":
                self.dismiss()
                self.wallet.drop(intent)
            case "answer":
                from wallet.tui.screens.answer import AnswerScreen

                self.app.push_screen(AnswerScreen(intent))
            case "acknowledge":
                self.wallet.acknowledge(intent)
            case "successor" if intent.superseded_by is not None:
                from wallet.tui.screens.card import CardScreen

                heir = self.wallet.session.intent(intent.superseded_by)
                if heir is not None and heir.state is State.PREPARED:
                    self.app.switch_screen(CardScreen(heir, existing=True))
                elif heir is not None:
                    self.app.switch_screen(IntentScreen(heir.id))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that would do nothing now are not shown."""
        if action not in ("ask", "again", "look") or not self.is_mounted:
            return True
        return action in self._shown_buttons

    def action_ask(self) -> None:
        intent = self.intent
        if "ask" in _offers(intent):
            self._with_key(intent, self.wallet.ask)

    def action_again(self) -> None:
        intent = self.intent
        if "again" in _offers(intent):
            self._with_key(intent, self.wallet.resume)

    def action_look(self) -> None:
        intent = self.intent
        if "look" in _offers(intent):
            self._with_key(intent, self.wallet.reconcile)

    def action_leave(self) -> None:
        self.dismiss()

    def _with_key(self, intent: Intent, work: Callable[[Intent], None]) -> None:
        self.wallet.unlocked(intent.sender, lambda: work(intent), lambda: None)


_BUTTONS = {
    "leave": "Leave it",
    "ask": "Ask the network",
    "again": "Send the same bytes again",
    "look": "Read the history",
    "answer": "Answer: did it arrive?",
    "restamp": "Prepare it with a new stamp",
    "correct": "Correct it",
    "successor": "Show what took its place",
    "acknowledge": "Acknowledge the alarm",
    "drop": "Drop it",
}


def _offers(intent: Intent) -> tuple[str, ...]:
    """What can be done about it now, what does nothing at all first: it has the focus."""
    names: list[str] = []
    match intent.state:
        case State.UNKNOWN:
            names += ["ask", "again", "look"]
        case State.RETRY_SAME | State.REJECTED:
            names += ["ask", "again"] + (["drop"] if intent.outcome.moved is False else [])
        case State.RECONCILE:
            names += ["look", "ask"]
        case State.ASK:
            names += ["look", "answer"]
        case State.RETRY_NEW:
            names += ["look", "restamp", "drop"]
        case State.SETTLED if intent.superseded_by is not None:
            names += ["successor"]
        case State.SETTLED if intent.asks_for_restamp:
            names += ["restamp"]
        case State.SETTLED if intent.outcome.outcome_class is OutcomeClass.FIX_INPUT:
            names += ["correct"]
        case _:
            pass
    names += ["acknowledge"] if intent.alarms else []
    return ("leave", *names) if names else ()


def _steps(intent: Intent, is_busy: bool) -> Content:
    reached = _reached(intent)
    parts: list[text.Part] = []
    for n, step in enumerate(STEPS):
        if step in reached:
            parts.append((f"✓ {step}   ", "$text-success"))
        elif is_busy and n == len(reached):
            parts.append((f"◔ {step}   ", "bold $text-primary"))
        else:
            parts.append((f"· {step}   ", "$text-muted"))
    return text.line(*parts)


def _meaning(intent: Intent) -> list[Content]:
    """What the step that is under way means."""
    reached = _reached(intent)
    under_way = next((step for step in STEPS if step not in reached), None)
    return [text.line((f"  {under_way}: {STEPS[under_way]}", "$text-muted"))] if under_way is not None else []


def _reached(intent: Intent) -> set[str]:
    """The steps of the latest attempt, as the evidence on disk has them."""
    reached = {"stored", "sent"}
    for evidence in intent.attempts[-1].evidence:
        match evidence:
            case Reply():
                reached |= {"received", "certified"} | ({"executed"} if intent.outcome.moved else set())
            case Rejected(certified=True):
                reached |= {"received", "certified"}
            case Silence(reason=SilenceReason.ACCEPTED):
                reached.add("received")
            case Status(word=word) if word is not StatusWord.ABSENT:
                reached.add("received")
            case _:
                pass
    return reached | {"settled"} if intent.is_settled else reached


def _attempts(intent: Intent) -> list[Content]:
    rows = []
    for attempt in intent.attempts[-3:]:
        posts = f", posted {attempt.posts} times" if attempt.posts > 1 else ""
        head = f"  attempt {attempt.n} at {text.clock(attempt.sent_at)}{posts}"
        rows.append(text.line((f"{head}: {_last_word(attempt, intent.pack, intent.method)}", "$text-muted")))
    return rows


def _last_word(attempt: Attempt, pack: Pack, method: str) -> str:
    match attempt.evidence[-1] if attempt.evidence else None:
        case None:
            return "no answer yet"
        case Reply(result=result):
            return f"certified reply, {plain(pack.classify(method, result).case or 'no case')}"
        case Rejected(code=code, certified=certified, message=message):
            return f"rejected, code {code}{'' if certified else ' (one node says so)'}: {plain(message)[:60]}"
        case Status(word=word):
            return f"the network's state says: {word}"
        case Silence(reason=reason):
            return str(reason)
        case _:
            return "no connection, nothing was sent"


def _now(progress: Progress, waits_s: float) -> list[Content]:
    """The latest thing that happened, while it happens; `waits_s` is left of a pause."""
    match progress.stage:
        case Stage.WAITING:
            rows = [text.line((f"In {waits_s:.0f} s: {plain(progress.detail)}.", "$text-primary"))]
            if progress.intent.state is State.RETRY_SAME:
                rows.append(
                    text.line((f"After {RETRY_SAME_LIMIT} such answers it waits for your word.", "$text-muted"))
                )
            return rows
        case Stage.ASKING:
            return [text.line(("Asking the network what became of it …", "$text-primary"))]
        case Stage.TROUBLE:
            return [text.line((plain(progress.detail), "$text-warning"))]
        case Stage.READING if progress.blocks is not None:
            first, at, last = progress.blocks
            share = (at - first + 1) * 100 // max(last - first + 1, 1)
            bar = "█" * (share * BAR // 100)
            span = f"Looking for it in the ledger's blocks {first} … {last}   "
            return [text.line((span, ""), (f"{bar:░<{BAR}}", "$text-primary"), f" {share} %")]
        case Stage.READING:
            return [text.line(("Looking for it in the ledger's blocks …", "$text-primary"))]
        case _:
            return []


def _finding(finding: Finding, intent: Intent) -> Content:
    match finding:
        case Found(block=block):
            return text.labelled("history", ("● found: ", "$text-success"), f"block {block.index}")
        case Absent(span=span):
            until = f" up to {_moment(span.until)}" if span.until is not None else ""
            return text.labelled("history", f"proven absent{until}: no attempt before that executed")
        case CannotTell(why=why):
            return text.labelled("history", ("cannot tell: ", "$text-warning"), plain(why))
        case LookedAgain(blocks=blocks) if len(blocks) > 1:
            return text.labelled("history", ("more than one block equals it", "bold $text-error"))
        case LookedAgain():
            return text.labelled("history", "looked once more: no second block like it")
        case _:
            answer = "it executed" if intent.outcome.moved else "it did not execute"
            return text.labelled("you said", answer)


def _moment(moment: LedgerTime) -> str:
    return f"{text.clock(LedgerTime(moment // SECOND * SECOND))} UTC"
