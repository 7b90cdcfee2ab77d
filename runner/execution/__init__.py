"""Executing a plan: the run's folder, its worker processes here or on a cluster, stopping and resuming."""
