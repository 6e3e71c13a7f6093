"""History: the store as it was at a time, how it has drifted, and without one person's labels."""
