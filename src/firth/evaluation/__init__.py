"""Gold data and predictions to numbers."""
