"""The environment of an episode: the sites, the proxy in front of them, and a pair of ports for each episode."""
