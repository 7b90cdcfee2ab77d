"""The output of a run: recordings, the ledger, and the database that stores them."""
