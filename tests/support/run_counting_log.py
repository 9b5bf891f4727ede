"""`tailrace run` with the test's own connector: `run_counting_log.py JOB.json CHECKPOINT [--available-now] [--verbose] [--take-over] [--master=URL]`."""

import sys
from pathlib import Path

from tailrace.cli.exit_codes import exit_code_for
from tailrace.cli.running import run_job
from tailrace.cli.screen import Screen
from tailrace.cli.session import LOCAL
from tailrace.source.job import Job
from tailrace.streaming.failures import cause_of
from tailrace.streaming.targets import Target


def main() -> int:
    job = Job.from_json(Path(sys.argv[1]).read_text())
    target = Target(text=job.target, checkpoint=Path(sys.argv[2]))
    verbose = "--verbose" in sys.argv
    master = next((word.removeprefix("--master=") for word in sys.argv if word.startswith("--master=")), LOCAL)
    try:
        with Screen(verbose=verbose) as screen:
            now = "--available-now" in sys.argv
            take_over = "--take-over" in sys.argv
            stopped = run_job(
                job, target, screen, available_now=now, verbose=verbose, master=master, take_over=take_over
            )
        screen.finish("stopped" if stopped else "done")
    except Exception as error:
        print("error:", cause_of(error), file=sys.stderr)
        return exit_code_for(cause_of(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
