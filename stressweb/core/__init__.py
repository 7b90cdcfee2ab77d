"""What everything else is built on: draws from seeds, conditions, errors, and files that users write."""
