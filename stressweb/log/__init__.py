"""What a run leaves behind: recordings, the ledger, and the database that keeps them."""
