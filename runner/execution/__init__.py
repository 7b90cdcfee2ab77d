"""A plan carried out: the run's folder, its worker processes here or on a cluster, and how it stops and continues."""
