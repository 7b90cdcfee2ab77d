"""The proof that a site is right: its tasks can be done, only doing them counts, and its pages are whole."""
