"""Speed and memory, as ratios to peers that do the same work in the same run."""
