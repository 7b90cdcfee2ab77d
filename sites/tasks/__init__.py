"""The tasks site: projects of a team with boards, lists of cards and due dates."""
