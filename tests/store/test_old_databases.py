"""A store as an earlier wallet left it opens, is brought up to date, and tells of every intent what it told then."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from wallet.adapters.store import open_store
from wallet.adapters.store.database import FILE_NAME
from wallet.cli.document import intent_document

RECORDED = Path(__file__).parent / "data"
"""By version of the schema: the file as the program wrote it, and what `wallet intents --json` said of it."""


@pytest.mark.parametrize("version", ["version_1"])
def test_every_intent_reads_as_it_did(version: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    shutil.copy(RECORDED / f"{version}.db", tmp_path / FILE_NAME)
    (tmp_path / FILE_NAME).chmod(0o600)
    told = json.loads((RECORDED / f"{version}.json").read_text(encoding="utf-8"))
    with closing(open_store(tmp_path)) as store:
        intents = store.intents()
        assert [each.id for each in intents] == [each["id"] for each in told]
        for intent, expected in zip(intents, told, strict=True):
            document = intent_document(intent, next_command=None)
            assert {name: document[name] for name in expected} == expected
        # R13: what was open is met again by preparing the same, whatever has changed in how identities are reckoned.
        for intent in intents:
            if not intent.is_settled:
                found = store.open_intent(intent.lookup_key)
                assert found is not None
                assert found.id == intent.id
