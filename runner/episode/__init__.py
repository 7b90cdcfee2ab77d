"""Running one episode: the loop of observing and acting, and the evidence for its grade."""
