"""What scripted agents read off an observation."""
