"""The server of models, and the page that shows them in a browser. Read-only: no request changes or opens a file."""
