"""Models on the Hugging Face hub: `firth.push_to_hub` and `firth.from_hub`.

A repository holds the folder that `save` writes: safetensors, JSON and a model card. Nothing else is downloaded, and a
repository with pickles or code is refused. A downloaded model remembers the commit that it came from in
`metadata["hub"]`, and opens again without a network.

The hub is the one that the environment variable HF_ENDPOINT names, by default https://huggingface.co. Log in with
`hf auth login`, or set HF_TOKEN.
"""

import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from firth import registry
from firth.errors import DataError, FormatError, import_extra
from firth.options import wrong_kind
from firth.storage import checksums
from firth.storage.integrity import files_of
from firth.storage.model_folder import CARD, CONFIG, MODEL, TEXTS, may_be_model_folder
from firth.storage.snapshots import snapshot

# A static embedding of sentence-transformers adds three files.
_NAMES = (MODEL, CONFIG, CARD, checksums.FILE, "modules.json", "config_sentence_transformers.json", "tokenizer.json")
ALLOWED = (*_NAMES, *(f"{name}.json" for name in TEXTS))
PATTERNS = [*ALLOWED, "model-*/*", "run-*/*"]
SUBFOLDERS = re.compile(r"((model|run)-\d+/)*")
CAN_RUN_CODE = (
    ".bin",
    ".pt",
    ".pth",
    ".ckpt",
    ".pkl",
    ".pickle",
    ".joblib",
    ".npy",
    ".npz",
    ".h5",
    ".keras",
    ".py",
    ".so",
)


def push_to_hub(
    model: Any,
    repo_id: str,
    *,
    private: bool | None = None,
    revision: str | None = None,
    message: str | None = None,
    token: str | None = None,
) -> str:
    """Upload a model to the Hugging Face hub and return the commit, which `from_hub` takes as `revision`.

    The repository is created if there is none. Files of an earlier model in it are replaced, except a README.md, which
    people edit.

    Args:
        model: any model with `save`, or the path of a folder that was saved.
        repo_id: "owner/name".
        private: whether a new repository is private; None is the owner's default.
        revision: the branch; None is main.
        message: of the commit.
        token: of the hub; None uses the one that you logged in with.

    Raises:
        ArgumentTypeError: `model` is something else.
        FormatError: the folder holds files that are not firth's.
        DataError: the hub refuses the upload or cannot be reached, or HF_ENDPOINT was set too late for a
            huggingface-hub before 1.4.
        MissingExtraError: huggingface-hub is not installed.
        OSError: the model cannot be written to a temporary folder.
    """
    hub = import_extra("huggingface_hub", "upload a model", "hub", "huggingface-hub")
    api = _api(hub, token)
    _check_endpoint(hub, api.endpoint)
    if isinstance(model, str | os.PathLike):
        # Again where somebody saves there meanwhile: the last commit is of one model.
        return snapshot(Path(model), lambda path: _upload(api, path, repo_id, private, revision, message))
    if not callable(getattr(model, "save", None)):
        raise wrong_kind("model", model, "a model of firth's, or the path of a saved one")
    with tempfile.TemporaryDirectory(prefix="firth-") as folder:
        path = Path(folder) / "model"
        model.save(path)
        return _upload(api, path, repo_id, private, revision, message)


def _upload(api: Any, path: Path, repo_id: str, private: bool | None, revision: str | None, message: str | None) -> str:
    if not path.is_dir():
        raise FormatError(f"{path}: no folder; expected a model that firth saved")
    foreign = [name for name in files_of(path) if not _is_ours(name)]
    if foreign or not (path / MODEL).is_file():
        names = ", ".join(foreign[:5]) or "none of a model"
        raise FormatError(f"{path}: files {names}; expected a folder with nothing but a model that firth saved")
    try:
        api.create_repo(repo_id, private=private, exist_ok=True)
        has_card = api.file_exists(repo_id, CARD, revision=revision)
        commit = api.upload_folder(
            repo_id=repo_id,
            folder_path=path,
            revision=revision,
            commit_message=message or "Upload a model of firth",
            ignore_patterns=[CARD] if has_card else None,
            delete_patterns=[name for name in PATTERNS if name != CARD],
        )
    except Exception as error:
        raise _explained(error, f"{repo_id}: the upload failed") from error
    return str(commit.oid)


def from_hub(
    repo_id: str,
    *,
    revision: str | None = None,
    token: str | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
) -> Any:
    """Download a model from the Hugging Face hub and open it, like `firth.load`.

    Args:
        repo_id: "owner/name": a model that `push_to_hub` uploaded, or a static embedding of sentence-transformers.
        revision: a commit, a tag or a branch; None is the newest of main. A commit gives the same model for ever.
        token: of the hub, for private repositories; None uses the one that you logged in with.
        cache_dir: where downloads are kept; None is huggingface-hub's cache.

    Returns:
        The model; `metadata["hub"]` holds the repository and the commit.

    Raises:
        DataError: there is no such repository or revision, or the hub cannot be reached and the model is not in the
            cache.
        FormatError: the repository holds no model, holds pickles or code, or is damaged.
        MissingExtraError: huggingface-hub is not installed.
    """
    hub = import_extra("huggingface_hub", "download a model", "hub", "huggingface-hub")
    api = _api(hub, token)
    try:
        info = _description(api, repo_id, revision)
        path = Path(
            hub.snapshot_download(
                repo_id,
                revision=revision,
                allow_patterns=PATTERNS if info is None else _checked(repo_id, info.siblings or []),
                local_files_only=info is None,  # without a network the cache may have it
                token=token,
                cache_dir=cache_dir,
                endpoint=api.endpoint,
            )
        )
    except FormatError:
        raise
    except Exception as error:
        raise _explained(error, f"{repo_id}: not downloaded") from error
    origin = {"hub": {"repository": repo_id, "revision": path.name}}
    if may_be_model_folder(path):
        return registry.load_folder(path, metadata=origin)
    model = registry.resolve(registry.LOAD)(path)
    model.metadata.update(origin)
    return model


def _description(api: Any, repo_id: str, revision: str | None) -> Any:
    """Return the description of a repository, or None where the hub cannot be reached."""
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        return api.model_info(repo_id, revision=revision)
    except (HfHubHTTPError, HFValidationError):
        raise
    except Exception:  # the kinds of errors of a connection depend on the version of huggingface-hub
        return None


def _checked(repo_id: str, files: Iterable[Any]) -> list[str]:
    """Return the names of the files to download.

    Raises:
        FormatError: there is no model among them, or one can run code.
    """
    names = sorted(file.rfilename for file in files)
    harmful = [name for name in names if name.lower().endswith(CAN_RUN_CODE)]
    if harmful:
        raise FormatError(
            f"{repo_id}: holds {', '.join(harmful[:5])}, which can run code when opened; models of firth are "
            "safetensors and JSON: remove the files, or name a revision without them"
        )
    ours = [name for name in names if _is_ours(name)]
    if MODEL not in ours or not {CONFIG, "modules.json"} & set(ours):
        listed = ", ".join(names[:8]) or "nothing"
        raise FormatError(f"{repo_id}: holds {listed}; expected {CONFIG} and {MODEL} of a model that firth saved")
    return ours


def _is_ours(name: str) -> bool:
    """Return whether a file belongs to a model, which may contain models in folders."""
    return SUBFOLDERS.sub("", name, count=1) in ALLOWED


def _api(hub: Any, token: str | None) -> Any:
    from firth import __version__

    endpoint = os.environ.get("HF_ENDPOINT")  # huggingface-hub reads it once, when it is imported
    return hub.HfApi(endpoint=endpoint, token=token, library_name="firth", library_version=__version__)


def _check_endpoint(hub: Any, endpoint: str) -> None:
    """Refuse an upload that huggingface-hub before 1.4 would call failed after it has succeeded.

    These versions read the answer to a commit by the HF_ENDPOINT that they found when they were imported.
    """
    imported = hub.constants.ENDPOINT
    if endpoint.rstrip("/") != imported and tuple(map(int, hub.__version__.split(".")[:2])) < (1, 4):
        raise DataError(
            f"HF_ENDPOINT is {endpoint}, but was {imported} when huggingface-hub {hub.__version__} was imported, which "
            'reads it once: set it before Python starts, or pip install "huggingface-hub>=1.4"'
        )


def _explained(error: Exception, what: str) -> DataError:
    """Return the error for a failed exchange with the hub."""
    cause = " ".join(str(error).split()) or type(error).__name__
    return DataError(
        f"{what} ({type(error).__name__}: {cause}); check the name and the network, and log in with `hf auth login` "
        "if the repository is private"
    )
