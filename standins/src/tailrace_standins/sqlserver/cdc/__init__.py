"""Change data capture: capture instances, their change tables, the capture job, the functions and procedures.

- `lsn.py`, `transaction_log.py`: log sequence numbers, and the committed transactions that wait for the capture job
- `log_file.py`, `restoring.py`: the uncaptured log of a server with a folder, and how it is restored at the start
- `instances.py`, `shapes.py`, `system_rows.py`, `rows.py`: capture instances, the tables of the schema cdc and their rows
- `images.py`, `capture.py`, `capture_job.py`, `scanning.py`: from log records to change tables, the job, its scan sessions
- `functions.py`, `query_functions.py`, `known_range.py`: the functions under sys and cdc
- `procedures.py` with `enabling.py`, `disabling.py`, `jobs.py`, `reports.py`, `cleanup.py`: the procedures
- `refusals.py`, `gating.py`: statements that a captured table does not allow; who may see changes
- `cleanup_jobs.py`: the nightly clean-up
- `feature.py`: all of it, as a hook of the engine's log; `install` adds it to a server
"""

from tailrace_standins.sqlserver.cdc.feature import ChangeDataCapture, install

__all__ = ["ChangeDataCapture", "install"]
