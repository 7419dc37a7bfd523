"""File formats of vectors; `firth.vectors.io.formats` lists them."""
