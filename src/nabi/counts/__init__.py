"""The learned state: counts of text and of tables, and what they are counted from."""
