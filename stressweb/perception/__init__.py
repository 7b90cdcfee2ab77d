"""Reading of observations, for scripted agents."""
