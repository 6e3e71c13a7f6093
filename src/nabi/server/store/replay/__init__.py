"""What a journal adds up to: by its entries alone, from a snapshot on, and as others write."""
