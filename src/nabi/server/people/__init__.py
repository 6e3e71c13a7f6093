"""People: how far they agree, and the model without the labels of one of them."""
