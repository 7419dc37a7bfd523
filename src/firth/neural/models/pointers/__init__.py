"""Pointer networks: the task of choosing input positions one after the other."""
