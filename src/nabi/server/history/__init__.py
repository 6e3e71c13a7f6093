"""History: the store as it was at a time, and how it has drifted since."""
