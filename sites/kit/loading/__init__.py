"""From the files of a site to its spec: layers, shorthand, checks, JSON schema."""
