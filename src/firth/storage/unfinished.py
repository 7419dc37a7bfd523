"""A file that is being written, which survives a kill: the next call goes on with what is finished.

Beside the target OUT stand, until it is whole,

- `OUT.part`: what is finished;
- `OUT.part.json`, the state: how much that is, and of which call.

The state is replaced as a whole; what stands in `OUT.part` behind it is written again. One process at a time writes.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from firth.errors import OptionError
from firth.storage.files import json_bytes, replacing_file, resolved, sync_folder
from firth.storage.partial import locked
from firth.storage.swapping import take_mode
from firth.storage.untrusted import file_bytes, parse_json

PART, STATE = ".part", ".part.json"


class UnfinishedFile:
    """The files beside a target; see the module.

    Args:
        target: the file to write.
        further: endings of other files that stand beside it until it is whole.

    Attributes:
        target: the file to write, where links lead.
    """

    def __init__(self, target: Path, further: Sequence[str] = ()) -> None:
        self.target = resolved(target)
        self._endings = (STATE, PART, *further)

    def beside(self, ending: str) -> Path:
        """Return the place of a file beside the target."""
        return self.target.with_name(self.target.name + ending)

    @property
    def part(self) -> Path:
        """What is finished."""
        return self.beside(PART)

    @property
    def state(self) -> Path:
        """How much is finished, and of which call."""
        return self.beside(STATE)

    def read_state(self) -> dict[str, Any]:
        """Return the state, empty if there is none or it is damaged."""
        with contextlib.suppress(OSError, ValueError):
            state = parse_json(file_bytes(self.state))
            return state if isinstance(state, dict) else {}
        return {}

    def record(self, **facts: Any) -> None:
        """Replace the state."""
        with replacing_file(self.state) as file:
            file.write(json_bytes(facts))

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes away; the folder of the target is made."""
        self.target.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.part, self.target):
            yield

    @contextlib.contextmanager
    def starting(self) -> Iterator[None]:
        """Leave no empty file, made for the lock, if the beginning fails."""
        try:
            yield
        except BaseException:
            if self.part.exists() and not self.part.stat().st_size and not self.state.exists():
                self.part.unlink()
            raise

    def finish(self) -> None:
        """Give the target what is finished, with the mode that it had."""
        if self.target.exists():
            take_mode(self.part, self.target)
        self.part.replace(self.target)
        self.remove()
        sync_folder(self.target.parent)

    def remove(self) -> None:
        """Remove the files beside the target."""
        for ending in self._endings:
            self.beside(ending).unlink(missing_ok=True)

    def of_another_call(self, what: str) -> OptionError:
        """Return the error about a part of a call with something else, such as "another model"."""
        return OptionError(
            f"{self.part} is the finished part of an interrupted call with {what}: repeat that call, or delete the "
            "part to start again"
        )
