"""Change data capture: capture instances, their change tables, the capture job, and what one looks at them with.

- `lsn.py`, `transaction_log.py`: log sequence numbers, and the committed transactions that wait for the capture job
- `instances.py`, `shapes.py`, `rows.py`: capture instances, the tables of the schema cdc and their rows
- `images.py`, `capture.py`, `capture_job.py`, `scanning.py`: from log records to change tables, the job, its scan sessions
- `functions.py`, `query_functions.py`: the functions under sys and cdc
- `columns.py`, `conditions.py`, `recognised.py`, `answers.py`: large change tables as columns of Arrow, and queries of them
- `procedures.py` with `enabling.py`, `disabling.py`, `jobs.py`, `reports.py`, `cleanup.py`: the procedures
- `refusals.py`, `cleanup_jobs.py`: statements that a captured table does not allow; the nightly clean-up
- `feature.py`: all of it, as a hook of the engine's log; `install` gives it to a server
"""

from tailrace.standin.sqlserver.cdc.feature import ChangeDataCapture, install

__all__ = ["ChangeDataCapture", "install"]
