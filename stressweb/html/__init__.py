"""Documents: accessible names, the canonical form, and controls and their keys."""
