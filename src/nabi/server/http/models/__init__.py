"""The models that answers come from: of a store or a file, and their predictions in JSON's terms."""
