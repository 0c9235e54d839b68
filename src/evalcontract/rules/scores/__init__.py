"""Rules on how checks become a score: weights, thresholds, scales, juries."""
