"""Coreference without parameters: mentions and what they agree in, quotations, pairs and their features, rules."""
