"""Why an episode failed, by intervention: episodes are played again with some injections held back."""
