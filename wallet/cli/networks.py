"""wallet network ...: mainnet is built in; any other is added by its address, its root key pinned."""

import argparse

from wallet import wiring
from wallet.cli.command import Command
from wallet.cli.context import Context, Result
from wallet.core.errors import BadInput, Refused, Untrusted
from wallet.core.names import check_name
from wallet.ports import MAINNET, NetworkEntry


def add(context: Context, arguments: argparse.Namespace) -> Result:
    name, url = arguments.name, arguments.url
    check_name(name)
    if name == MAINNET:
        raise Refused("mainnet is built in with its address and its root key, and nothing replaces either.")
    given = _read_root_key(arguments.root_key)
    store = context.store
    told = context.wait_briefly(wiring.fetch_root_key(url, context.common.timeout_s))
    if given is not None and given != told:
        raise Untrusted(f"{url} has another root key than the one given ({told.hex()}), so it was not added.")
    if any(each.name == MAINNET and each.root_key == told for each in wiring.networks(store)):
        raise Refused(f"{url} is mainnet itself, which is built in: use --network {MAINNET}.")
    entry = NetworkEntry(name, url, told)
    known = next((each for each in store.networks() if each.name == name), None)
    if known is not None:
        if known.root_key != told:
            raise Refused(
                f"{name} is pinned to another root key ({known.root_key.hex()}) than {url} has now. If it is another"
                f" network, add it under another name, or first: {context.command(f'network remove {name}')}"
            )
        # The key is what is trusted; an address may move, as that of an embedded network does with every start.
        store.remove_network(name)
    store.add_network(entry)
    store.put_setting(wiring.CURRENT_NETWORK, name)
    lines = [f"Added {name} at {url}; it is now the network in use.", "Its root key, pinned from now on:", told.hex()]
    return Result(document=_document(entry, is_current=True), lines=lines)


def show_list(context: Context, _: argparse.Namespace) -> Result:
    current = wiring.current_network(context.store)
    entries = wiring.networks(context.store)
    lines = [f"{'*' if each.name == current else ' '} {each.name:<16} {each.url}" for each in entries]
    return Result(document=[_document(each, each.name == current) for each in entries], lines=lines)


def use(context: Context, arguments: argparse.Namespace) -> Result:
    entry = wiring.network_named(context.store, arguments.name)
    context.store.put_setting(wiring.CURRENT_NETWORK, entry.name)
    return Result(document=_document(entry, is_current=True), lines=[f"{entry.name} is now the network in use."])


def remove(context: Context, arguments: argparse.Namespace) -> Result:
    store, name = context.store, arguments.name
    if name == MAINNET:
        raise Refused("mainnet is built in and cannot be removed.")
    entry = wiring.network_named(store, name)
    others = [each for each in store.networks() if each.name != name and each.root_key == entry.root_key]
    unsettled = [each.id for each in store.intents(unsettled=True) if each.root_key == entry.root_key]
    if unsettled and not others:
        raise Refused(f"{name} has unsettled payments ({', '.join(unsettled)}): only it can say what became of them.")
    store.remove_network(name)
    if wiring.current_network(store) == name:
        store.put_setting(wiring.CURRENT_NETWORK, MAINNET)
    return Result(document=_document(entry, is_current=False), lines=[f"Removed {name}."])


def _read_root_key(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise BadInput("root_key", "a root key is given as hex digits (DER)") from None


def _document(entry: NetworkEntry, is_current: bool) -> dict[str, object]:
    return {"name": entry.name, "url": entry.url, "root_key": entry.root_key.hex(), "current": is_current}


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="how you will call it")
    parser.add_argument("url", metavar="URL", help="its address: https, or http on this machine itself")
    parser.add_argument("--root-key", metavar="HEX", help="the root key it must have (DER, as hex)")


def _name_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")


COMMANDS = (
    Command("network add", "add a network; its root key is fetched once, shown and pinned", add, _add_arguments),
    Command("network list", "list the networks; the one in use is marked", show_list),
    Command("network use", "choose the network that is used where none is named", use, _name_argument),
    Command("network remove", "forget a network", remove, _name_argument),
)
