"""The network site: posts, people, jobs and messages of a professional network."""
