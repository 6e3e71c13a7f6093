"""How well the labelling page's queue and figures do, by automated labellers on real sets."""
