"""The checks on data frames of Spark: by `mapInArrow`, with the functions for batches in memory."""

from evalcontract.spark.frames import coverage, grade, statistics, summary, totals, validate

__all__ = ["coverage", "grade", "statistics", "summary", "totals", "validate"]
