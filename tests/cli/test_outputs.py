"""The exit code where standard output or standard error takes no more: that of the command, with its reason told if it can be."""

import os
import subprocess
import sys

import pytest

from tailrace.cli.exit_codes import FAILED

RUN = "import sys; from tailrace.cli.main import main; main(sys.argv[1:])"
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def end_of(arguments, **where):
    """What a command ends with, in a process of its own: Python itself looks at its outputs again as it ends."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **where}
    return subprocess.run([sys.executable, "-c", RUN, *arguments], env=BUFFERED, text=True, check=False, **given)


@pytest.fixture(params=["full", "closed"])
def taking_nothing(request):
    if request.param == "full":
        end = os.open("/dev/full", os.O_WRONLY)
    else:
        reading, end = os.pipe()
        os.close(reading)
    yield end
    os.close(end)


def test_what_standard_output_did_not_take_is_an_error_and_no_exit_code_of_pythons(taking_nothing):
    ended = end_of(["--version"], stdout=taking_nothing)
    assert ended.returncode == FAILED.number
    assert "Exception ignored" not in ended.stderr


@pytest.mark.parametrize("output", ["stdout", "stderr"])
def test_an_error_has_its_exit_code_whatever_the_outputs_take(taking_nothing, output):
    ended = end_of(["run", "/there/is/none.json", "--to", "console"], **{output: taking_nothing})
    assert ended.returncode == 2
    assert output == "stderr" or "none.json" in ended.stderr
