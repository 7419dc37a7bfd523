"""Pictures to files; the suffix of the name chooses the library."""

import os
from pathlib import Path

from firth.errors import OptionError
from firth.plots.extras import library
from firth.plots.map_page import is_map, picture_page
from firth.plots.picture import Picture
from firth.storage.files import replacing_file

STILL, PAGE = (".png", ".svg", ".pdf"), ".html"
LIBRARIES = {**dict.fromkeys(STILL, "matplotlib"), PAGE: "plotly"}


def check_target(path: str | os.PathLike[str], *, plain: bool = False) -> None:
    """Check that a picture can be drawn into a file, before any work.

    Args:
        path: the file.
        plain: whether the picture is a map, whose page needs no library.

    Raises:
        OptionError: the path ends in something that no picture ends in, or is a folder.
        MissingExtraError: the library that draws is not installed.
    """
    target = Path(path)
    if target.suffix.lower() not in LIBRARIES:
        raise OptionError(f"{target}: expected a name that ends in {', '.join(LIBRARIES)}, such as {target.stem}.png")
    if target.is_dir():
        raise OptionError(f"{target} is a folder; expected the name of a file to write")
    suffix = target.suffix.lower()
    if not (plain and suffix == PAGE):
        library(LIBRARIES[suffix], "draw a page" if suffix == PAGE else "draw a picture")


def save(picture: Picture, path: str | os.PathLike[str]) -> None:
    """Draw a picture into a file; see `Picture.save`.

    Raises:
        OptionError: the path ends in something else than .png, .svg, .pdf or .html.
        MissingExtraError: the library that draws is not installed.
        OSError: the file cannot be written.
    """
    plain = is_map(picture)
    check_target(path, plain=plain)
    suffix = Path(path).suffix.lower()
    if suffix == PAGE and plain:
        picture_page(picture).save(path)
        return
    if suffix == PAGE:
        from firth.plots.page import render as page

        content = page(picture).encode("utf-8", "backslashreplace")
    else:
        from firth.plots.still import render as still

        content = still(picture, suffix[1:])
    with replacing_file(path) as file:
        file.write(content)


def missing_letters(picture: Picture, path: str | os.PathLike[str]) -> str:
    """Return a few letters of a picture that no installed font has; none for a page, which uses the reader's fonts.

    Args:
        picture: what was drawn.
        path: where.
    """
    if Path(path).suffix.lower() not in STILL:
        return ""
    from firth.plots.fonts import families
    from firth.plots.still import texts

    return " ".join(sorted(families(texts(picture))[1])[:10])
