"""The models that answers come from, of a store or a file; predictions in JSON's terms."""
