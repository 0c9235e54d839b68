"""The words of evalcontract: frozen values, standard library only."""
