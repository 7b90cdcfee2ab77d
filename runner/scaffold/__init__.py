"""What `stressweb new` writes: a small site that runs and verifies as it stands."""
