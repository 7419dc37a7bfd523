"""Folders of encoders in the layout of Hugging Face's transformers: recognised here, read where encoders are."""

from pathlib import Path

from firth.storage.model_folder import CONFIG
from firth.storage.untrusted import file_bytes, parse_json


def is_folder(path: Path) -> bool:
    """Return whether a folder holds a model of transformers, of whatever kind."""
    try:
        config = parse_json(file_bytes(path / CONFIG))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and isinstance(config.get("model_type"), str)
