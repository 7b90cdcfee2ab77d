"""Finds the cause of a failed episode by playing it again with some injections held back."""
