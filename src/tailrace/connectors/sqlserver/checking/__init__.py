"""The parts of `tailrace check` for SQL Server: the jobs, the capture instances, and what a login may read."""
