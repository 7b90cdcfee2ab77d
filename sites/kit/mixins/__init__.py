"""Parts of a site that a spec takes over by `use`, a folder each."""
