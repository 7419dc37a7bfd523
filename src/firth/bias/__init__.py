"""What vectors hold against groups of people: measured, removed, and looked for again after the removal."""
