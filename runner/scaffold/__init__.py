"""`stressweb new`: writes a small site that runs and verifies unchanged, or has a model draft one."""
