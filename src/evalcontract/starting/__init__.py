"""What moves to evalcontract from ai_best_practices and ai_eval: pure functions on values."""
