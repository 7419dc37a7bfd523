"""Two spaces of words made one: two languages, or two times of one language."""
