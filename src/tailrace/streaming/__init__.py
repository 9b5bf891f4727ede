"""One job, from a configuration to its end: what `tailrace run` and `tailrace.stream` have in common, and the latter."""
