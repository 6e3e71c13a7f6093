"""The journal in PostgreSQL, which several servers share."""
