"""Transition parsing in compiled loops: states with oracles to train on, greedy search, beam search."""
