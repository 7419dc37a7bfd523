"""Compiled kernels: arrays in, arrays out.

The kernels share short names:

    at         `Addresses`: where rows, tables and native kernels are, as integers (`firth.kernels.targets`)
    predictor  `Predictor`: the output layer, that is the objective with its noise table or tree, as integers
               (`firth.kernels.objectives`); outside compiled code, `layer`, a `Scoring`: the same with arrays
    work       `Workspace`: one thread's tables and buffers; they must outlive `at`
    state      `ShardState`: one thread's position, random state and loss, kept between calls
    settings   a tuple of a model's options, as its kernel reads them
    sentence   ids of the words of a sentence after subsampling; count: their number
    t          position of the centre word; before, after: context words on either side; reach: size of the window
    m, n       number of hidden rows and of output rows of a step
    sets       (slots, K) noise words drawn in advance; used, drawn: the set in use and the set last drawn
    table      addresses of the output rows of a step; signs: +1 true, -1 noise, 0 left out
    contexts   addresses of the input rows of a step
    hidden     the vector that predicts, or a table of addresses of such rows; targets: rows that get the gradients
    rate       learning rate of the current step
    row        address of a row; row_bytes, output_bytes: distance of two rows
    e, a       in code generation: the emitter of LLVM instructions, and a function's arguments by name

The letters of sizes (V, D, K, ...) are in `docs/notation.md`.
"""
