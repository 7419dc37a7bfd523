"""What every model returns: words with vectors, their queries and their files."""
