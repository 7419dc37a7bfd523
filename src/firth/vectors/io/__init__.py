"""Vector file formats."""
