"""Dependency parsers: transitions and scores of arcs, and what they share."""
