"""What an agent needs to ask a language model."""
