"""`firth shell`."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any

from firth.cli.arguments import Quiet, Vectors, names
from firth.cli.output import note, print_scores
from firth.cli.vectors import open_vectors
from firth.directions import axis_between, project
from firth.errors import FirthError, MissingExtraError, OptionError
from firth.plots.map import text_map
from firth.storage.files import cache_folder

HELP = """\
king                     the nearest words
king - man + woman       the words nearest to a sum; signs stand between spaces
:similarity king queen   a cosine
:axis cold hot           the most frequent words that lie farthest towards each pole; a pole may be cold,cool
:map red green blue      a map of words
:number 20               how many words are shown
:help  :quit             also Ctrl-D"""
FREQUENT = 2_000  # words that an axis places
ASIDE = ("help", "?", "quit", "exit", "map", "axis")  # words that may be meant as commands


def shell(
    vectors: Vectors,
    commands: Annotated[
        list[str] | None,
        names("Lines to answer, in place of a prompt; several by several flags.", "LINE", "--run", "-r"),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Ask for words, one after the other: king, king - man + woman, :axis cold hot, :map red green blue, :help.

    On a terminal, Tab completes words, and lines are remembered from one time to the next. Lines of standard input
    are answered as well.
    """
    space = open_vectors(vectors, quiet)
    answers = Answers(space)
    typed = commands is None and sys.stdin.isatty()
    for line in commands or _lines(answers, space, quiet):
        if not typed and line.strip():
            print(f"> {line.strip()}")
        try:
            if not answers.answer(line):
                break
        except FirthError as error:
            note(str(error))


class Answers:
    """Answers lines about vectors.

    Args:
        space: the vectors.

    Attributes:
        commands: by name, what takes the words after it; `quit` besides.
    """

    def __init__(self, space: Any) -> None:
        self._space, self._number = space, 10
        self.commands: dict[str, Callable[[list[str]], None]] = {
            "similarity": self._similarity, "axis": self._axis, "map": self._map, "number": self._count,
            "help": lambda words: print(HELP),
        }  # fmt: skip

    def answer(self, line: str) -> bool:
        """Print what a line asks for; return False if it asks for the end.

        Args:
            line: a word, a sum of words, or a command that begins with a colon.
        """
        words = line.split()
        if not words:
            return True
        if not words[0].startswith(":") or words[0] in self._space:
            self._say_if_meant_as_command(words)
            print_scores(self._sum(words))
            return True
        name = words[0][1:]
        if name in ("quit", "exit", "q"):
            return False
        command = self.commands.get(self._command(name) or "")
        if command is None:
            raise OptionError(f":{name}: expected :{', :'.join(self.commands)} or :quit")
        command(words[1:])
        return True

    def _command(self, name: str) -> str | None:
        """Return the command that a name, or its beginning, stands for."""
        return next((command for command in self.commands if name and command.startswith(name)), None)

    def _say_if_meant_as_command(self, words: list[str]) -> None:
        """Say what a line without a colon asks for where a command may be meant; of an unknown word, as an error."""
        name, rest = words[0], words[1:]
        if not rest:
            if name in ASIDE:
                note(f"the nearest words of {name!r}; :help shows what can be asked, :quit ends")
            return
        command = self._command(name) if len(name) > 1 and not {"+", "-"} & set(rest) else None
        if command is None:
            return
        line = " ".join((f":{command}", *rest))
        if name not in self._space:
            raise OptionError(f"{name!r} is not in the vocabulary, and commands begin with a colon: {line}")
        note(f"the nearest words of the sum of {len(words)} words; the command is {line}")

    def _sum(self, words: list[str]) -> list[tuple[str, float]]:
        """Return the nearest words of a sum; words without a sign are added.

        A sign that a word follows is a sign, another one a word: `-` alone asks for the neighbours of the hyphen.
        """
        sides: dict[str, list[str]] = {"+": [], "-": []}
        sign = "+"
        for word, after in zip(words, [*words[1:], "+"], strict=True):
            if word in sides and (after not in sides or word not in self._space):
                sign = word
                continue
            sides[sign].append(word)
            sign = "+"
        if not sides["+"] and not sides["-"]:
            raise OptionError("a sign without a word: expected king - man + woman")
        answers: list[tuple[str, float]] = self._space.most_similar(
            sides["+"] or None, sides["-"] or None, topn=self._number
        )
        return answers

    def _similarity(self, words: list[str]) -> None:
        if len(words) != 2:
            raise OptionError(":similarity: expected two words")
        print(f"{float(self._space.similarity(*words)):.4f}")

    def _axis(self, words: list[str]) -> None:
        if len(words) != 2:
            raise OptionError(":axis: expected two poles, such as cold hot or cold,cool hot,warm")
        along = axis_between(self._space, *([word for word in pole.split(",") if word] for pole in words))
        candidates = self._space.words[:FREQUENT]
        order = sorted(zip(project(self._space, along, candidates).tolist(), candidates, strict=True))
        n = min(self._number, len(order))
        for end in (order[:n], order[: -n - 1 : -1]):
            print_scores([(word, value) for value, word in end])
            print()

    def _map(self, words: list[str]) -> None:
        if len(words) < 2:
            raise OptionError(":map: expected two words or more")
        print(text_map(self._space, list(dict.fromkeys(words))))

    def _count(self, words: list[str]) -> None:
        if len(words) != 1 or not words[0].isdecimal() or not 1 <= int(words[0]) <= 1000:
            raise OptionError(":number: expected a number from 1 to 1000")
        self._number = int(words[0])


def _lines(answers: Answers, space: Any, quiet: bool) -> Iterable[str]:
    """Return the lines that are typed, or that standard input holds."""
    if not sys.stdin.isatty():
        return (line.rstrip("\n") for line in sys.stdin)
    return _typed(answers, space, quiet)


def _typed(answers: Answers, space: Any, quiet: bool) -> Iterator[str]:
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import FileHistory, InMemoryHistory
    except ImportError as error:
        raise MissingExtraError("prompt_toolkit", "shell", "ask in a terminal") from error
    history: Any = InMemoryHistory()  # where nothing can be kept
    with contextlib.suppress(OSError):
        folder = cache_folder("shell")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "history").touch()
        history = FileHistory(str(folder / "history"))
    completer = WordCompleter([*space.words, *(f":{name}" for name in (*answers.commands, "quit"))], match_middle=False)
    session: Any = PromptSession(history=history, completer=completer, complete_while_typing=False)
    if not quiet:
        note(f"{len(space):,} words; :help shows what can be asked, Ctrl-D ends")
    while True:
        try:
            yield session.prompt("> ")
        except KeyboardInterrupt:  # of a line, as in other shells
            continue
        except EOFError:
            return
