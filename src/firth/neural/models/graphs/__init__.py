"""Graph networks: labels of nodes from their neighbours and features."""
