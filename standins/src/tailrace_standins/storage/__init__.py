"""What is true of any database that stands in over SQLite."""
