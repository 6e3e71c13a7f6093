"""Counts to scores: weighing, smoothing, prior, selection, held-out scores, calibration."""
