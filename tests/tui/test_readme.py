"""What the README says about the program is what the program says of itself."""

from tests.tui.readme import README, key_table, with_key_table


def test_the_key_table_is_that_of_the_bindings() -> None:
    assert key_table() in README.read_text(), "write it anew: python -m tests.tui.readme"
    assert with_key_table(README.read_text()) == README.read_text()


def test_every_key_says_what_it_does() -> None:
    assert "| None |" not in key_table()
    assert "|  |" not in key_table()
