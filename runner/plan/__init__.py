"""What is to be run: experiments and their files, the plan they make, its cells, their order, identities and cost."""
