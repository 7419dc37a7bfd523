"""What a user waits for before anything happens."""

import sys

from benchmarks.comparison import Comparison, Contender, Limit
from benchmarks.setting import FIRTH, GENSIM, JOBS, Setting

EVERYTHING = "firth, every exported name"


def comparisons(setting: Setting) -> list[Comparison]:
    """The import of the library."""
    script = str(JOBS / "import_library.py")
    return [
        Comparison(
            key="import",
            title="importing the library, the interpreter's start apart",
            contenders=(
                Contender(name=FIRTH, command=(sys.executable, script, "firth")),
                # firth's names load on first use; a user of all of them waits for this.
                Contender(name=EVERYTHING, command=(sys.executable, script, "firth", "all")),
                Contender(name=GENSIM, command=(setting.peers, script, "gensim.models")),
            ),
            limits=(Limit(FIRTH, "seconds", 0.3, "s"),),
        )
    ]
