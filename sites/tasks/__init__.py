"""A site on which a team plans its projects: boards, lists, and what is due."""
