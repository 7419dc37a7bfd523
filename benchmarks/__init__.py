"""firth beside its peers: the same file, the same options, runs taking turns.

`python -m benchmarks --help` tells what can be run. Every measured job is a child process that runs one small script of
`benchmarks/jobs` and prints one line of JSON. The parent holds nothing but the standard library, so that what a child
inherits from it (memory, threads) is next to nothing.
"""
