"""Vectors and results to figures."""
