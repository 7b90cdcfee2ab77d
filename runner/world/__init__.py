"""What an episode runs in: the sites, the proxy before them, and a pair of ports for each episode."""
