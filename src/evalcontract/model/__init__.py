"""The data types of evalcontract: immutable, standard library only."""
