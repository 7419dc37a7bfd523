"""Pictures to files; the suffix of the name chooses the format."""

import json
import os
from pathlib import Path

from firth.errors import OptionError, import_extra
from firth.plots.drawing import Drawing
from firth.plots.labels import clean
from firth.plots.map_page import is_map, picture_page
from firth.plots.picture import Picture
from firth.storage.files import replacing_file

STILL, PAGE = (".png", ".svg", ".pdf"), ".html"
_STYLE = "svg { max-width: 100%; height: auto; }"
ENDINGS = (*STILL, PAGE)


def check_target(path: str | os.PathLike[str], *, plain: bool = False) -> None:
    """Check that a picture can be drawn into a file, before any work.

    Raises:
        OptionError: the path ends in something that no picture ends in, or is a folder.
    """
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise OptionError(f"{target}: expected a name that ends in {', '.join(ENDINGS)}, such as {target.stem}.png")
    if target.is_dir():
        raise OptionError(f"{target} is a folder; expected the name of a file to write")
    if not (plain and target.suffix.lower() == PAGE):
        import_extra("matplotlib", "draw a picture", "plots")


def save(picture: Picture, path: str | os.PathLike[str]) -> None:
    """Draw a picture into a file; see `Picture.save`."""
    plain = is_map(picture)
    check_target(path, plain=plain)
    suffix = Path(path).suffix.lower()
    if suffix == PAGE and plain:
        picture_page(picture).save(path)
        return
    from firth.plots.still import render

    if suffix == PAGE:
        _page(picture, render(picture, "svg").decode()).save(path)
        return
    with replacing_file(path) as file:
        file.write(render(picture, suffix[1:]))


def _page(picture: Picture, svg: str) -> Drawing:
    """Return a page that holds a picture and, as JSON, the plotted numbers."""
    rows = json.dumps(list(picture.rows), allow_nan=False).replace("<", "\\u003c")  # a word may be "</script>"
    body = f'{svg[svg.index("<svg") :]}\n<script type="application/json" id="rows">{rows}</script>'
    return Drawing(title=clean(picture.title) or picture.kind, text="", body=body, style=_STYLE)


def missing_letters(picture: Picture, path: str | os.PathLike[str]) -> str:
    """Return a few letters of a picture that no installed font has; none for a page, which uses the reader's fonts."""
    if Path(path).suffix.lower() not in STILL:
        return ""
    from firth.plots.fonts import families
    from firth.plots.still import texts

    return " ".join(sorted(families(texts(picture))[1])[:10])
