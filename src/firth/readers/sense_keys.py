"""Keys of word sense induction in the format of SemEval and Senseval."""

from firth.arguments import names_files
from firth.errors import FormatError
from firth.readers.lines import PathLike, numbered_lines


@names_files
def read_sense_key(path: PathLike) -> dict[str, dict[str, str]]:
    """Read a key: `word occurrence sense`, one occurrence per line, as in `access.n access.n.15 access.n.6`.

    A line may give several senses with weights, as in `access.n.6/0.8 access.n.2/0.2`. The sense with the greatest
    weight counts; of equal ones, the first.

    Args:
        path: the file, UTF-8.

    Returns:
        The sense of each occurrence of each word.

    Raises:
        FormatError: a line has another format, or an occurrence is listed twice; the message gives its number.
        OSError: the file cannot be read.
    """
    senses: dict[str, dict[str, str]] = {}
    for number, line in numbered_lines(path):
        fields = line.split()
        if len(fields) < 3:
            raise FormatError(f"{path} line {number}: {len(fields)} fields, expected 'word occurrence sense'")
        word, occurrence, *tags = fields
        if occurrence in senses.setdefault(word, {}):
            raise FormatError(f"{path} line {number}: {occurrence} is listed twice; expected one line each")
        weights = [_weight(tag, number, path) for tag in tags]
        senses[word][occurrence] = max(weights, key=lambda pair: pair[1])[0]
    return senses


def _weight(tag: str, number: int, path: PathLike) -> tuple[str, float]:
    sense, slash, weight = tag.rpartition("/")
    if not slash:
        return tag, 1.0
    try:
        return sense, float(weight)
    except ValueError:
        raise FormatError(f"{path} line {number}: weight {weight!r} of {tag!r}, expected a number") from None
