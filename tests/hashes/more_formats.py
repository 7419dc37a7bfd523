"""Formats beside those of the fuzzer's table."""

from typing import Any

READERS: dict[str, Any] = {}
