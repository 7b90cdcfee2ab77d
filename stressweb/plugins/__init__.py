"""What others extend: the bases of agents, actions, perturbations, sites, tasks and checks."""
