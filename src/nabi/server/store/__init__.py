"""The store: a journal, the counts that it adds up to, and the examples as they are now."""
