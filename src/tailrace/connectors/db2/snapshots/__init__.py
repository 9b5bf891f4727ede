"""Snapshots of Db2: rows as of an LSN while the Capture program lags behind."""
