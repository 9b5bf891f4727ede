"""The reference page of the command line."""

from pathlib import Path

from tailrace import errors
from tailrace.cli.exit_codes import EXIT_CODES, exit_code_for
from tailrace.docs import cli_page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


def test_the_page_is_what_the_commands_say():
    assert PAGE.read_text(encoding="utf-8") == cli_page(), "run ./run docs"


def test_every_error_of_tailrace_has_an_exit_code_of_its_own_kind():
    kinds = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, errors.TailraceError)]
    without = {kind.__name__ for kind in kinds if exit_code_for(kind("x")) == 1}
    assert without == {"TailraceError"}


def test_exit_codes_are_different_and_fit_a_process():
    numbers = [code.number for code in EXIT_CODES]
    assert len(numbers) == len(set(numbers))
    assert all(0 <= number <= 255 for number in numbers)
