"""Language models: how likely is a text, and what comes next; here those that count, and what all of them share."""
