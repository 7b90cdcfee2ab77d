"""Documents: accessible names, canonical forms, recorded copies, and markup."""
