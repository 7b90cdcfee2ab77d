"""A professional network: posts, people, jobs and messages."""
