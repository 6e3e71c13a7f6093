"""How often nabi is right, beside its peers, on the same texts."""
