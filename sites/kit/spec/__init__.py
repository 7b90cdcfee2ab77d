"""The pydantic models of `site.yaml`."""
