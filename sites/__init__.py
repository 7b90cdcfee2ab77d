"""The sites that ship: `kit` makes a site from its spec and a seed, every other folder is one site."""
