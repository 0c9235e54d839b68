"""The checks on data frames of Spark: by `mapInArrow`, with the function for batches in memory."""

from evalcontract.spark.frames import summary, validate

__all__ = ["summary", "validate"]
