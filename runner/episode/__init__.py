"""One episode: the loop of observing and acting, what it is graded by, and what the agent will meet in it."""
