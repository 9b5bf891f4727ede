"""SQL Replication: control tables, and `asncap`, the program that writes change tables from the log.

Sources: IBM Db2 documentation, "Control tables for SQL Replication", "Operating the Capture program" (SQL Replication guide)
"""
