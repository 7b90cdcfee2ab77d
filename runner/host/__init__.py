"""The episode server: agents of any kind open, play and finish episodes over HTTP and get their grades."""
