"""The ride site: fares, rides now and later, a map of the town, receipts, saved places and trusted contacts."""
