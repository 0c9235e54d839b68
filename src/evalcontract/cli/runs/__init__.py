"""What is done with runs: graded, compared, planned, and their judges measured."""
