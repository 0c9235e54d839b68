"""The statistics of judges: pure functions of counts and numbers, each with its source.

Positive means PASS throughout. A figure that is not defined, such as a rate of nothing, is None.
"""
