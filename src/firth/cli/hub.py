"""`firth push` and `firth pull`: models on the Hugging Face hub."""

from pathlib import Path
from typing import Annotated

import typer

from firth.cli.arguments import AsJson, Overwrite, Quiet, flag, names
from firth.cli.output import note, show, working
from firth.cli.targets import check_folder_target
from firth.hub import from_hub, push_to_hub

Repository = Annotated[str, names("Repository on the hub.", "OWNER/NAME")]


def push(
    source: Annotated[Path, names("Folder of a saved model.", "MODEL")],
    repository: Repository,
    private: Annotated[bool, typer.Option("--private", help="Make a new repository private.")] = False,
    revision: Annotated[str | None, flag("Branch. Default: main.", "NAME")] = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Upload a model to the Hugging Face hub.

    The repository is created if there is none. Log in first: `hf auth login`, or the environment variable HF_TOKEN.
    """
    with working(f"uploading {source}", quiet):
        commit = push_to_hub(source, repository, private=private or None, revision=revision)
    show(
        json,
        {"repository": repository, "revision": commit},
        f"{source}: uploaded to {repository}, revision {commit}",
        to=note,
    )


def pull(
    repository: Repository,
    target: Annotated[Path, names("Folder to write.", "OUT")],
    revision: Annotated[str | None, flag("Commit, tag or branch. Default: main.", "NAME")] = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Download a model from the Hugging Face hub and save it as a folder.

    Only safetensors and JSON are downloaded. A commit as --revision gives the same model for ever; the
    folder remembers it.
    """
    check_folder_target(target, overwrite=overwrite)
    with working(f"downloading {repository}", quiet):
        model = from_hub(repository, revision=revision)
        model.save(target)
    commit = model.metadata["hub"]["revision"]
    show(
        json,
        {"model": str(target), "kind": type(model).__name__, "repository": repository, "revision": commit},
        f"{target}: {type(model).__name__} of {repository}, revision {commit}",
        to=note,
    )
