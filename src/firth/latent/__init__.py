"""Models with hidden variables that learn without PyTorch."""
