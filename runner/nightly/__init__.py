"""Night after night against a pinned baseline: rotation, history, chart, and one night from plan to page."""
