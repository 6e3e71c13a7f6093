"""How a calibration is fitted to the scores of documents by models that never saw them."""
