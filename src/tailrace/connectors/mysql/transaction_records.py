"""Transaction metadata: each record's place in its transaction, and the BEGIN and END records of transactions."""
