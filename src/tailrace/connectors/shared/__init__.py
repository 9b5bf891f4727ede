"""What more than one connector needs, and nothing above them does."""
