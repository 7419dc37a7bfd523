"""What each suite compares: a function from a `Setting` to comparisons."""
