"""Extension points: the bases of agents, actions, perturbations, sites, tasks and checks."""
