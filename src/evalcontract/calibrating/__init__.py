"""Compare a judge with human labels: read both, join them, and measure how well they agree."""
