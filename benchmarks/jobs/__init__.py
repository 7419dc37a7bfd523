"""One script a measured job: `python SCRIPT '{"option": value}'` prints one JSON object and nothing after it."""
