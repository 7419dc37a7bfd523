"""Indexes: nearest neighbours found exactly, by hyperplanes or in a small world, behind one face."""
