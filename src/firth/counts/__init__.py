"""A corpus to counts: which words stand near which, what that says of them, and its factors."""
