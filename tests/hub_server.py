"""A stand-in for the Hugging Face hub on this machine: repositories of commits, by the hub's own protocol.

huggingface-hub talks to it as to the real one: create a repository, ask how to upload, commit, list, download.
"""

import base64
import contextlib
import hashlib
import json
import threading
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Files = dict[str, bytes]


class Hub:
    """The repositories: for each its commits, oldest first, with all their files."""

    def __init__(self) -> None:
        self.repositories: dict[str, list[tuple[str, Files]]] = {}
        self.requests: list[str] = []

    def commit(self, name: str, files: Files) -> str:
        """Add a commit with these files, and return its hash."""
        commits = self.repositories.setdefault(name, [])
        content = json.dumps([len(commits), name, sorted(files)]).encode() + b"".join(
            files[key] for key in sorted(files)
        )
        commits.append((hashlib.sha1(content).hexdigest(), dict(files)))
        return commits[-1][0]

    def at(self, name: str, revision: str) -> tuple[str, Files] | None:
        """Return a commit and its files; the last one for a branch."""
        commits = self.repositories.get(name, [])
        for sha, files in commits:
            if sha == revision:
                return sha, files
        return commits[-1] if commits and revision == "main" else None


def _handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def answer(self, value: Any, status: int = 200, **headers: str) -> None:
            body = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            for name, text in headers.items():
                self.send_header(name.replace("_", "-"), text)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def missing(self, code: str) -> None:
            self.answer({"error": code}, 404, X_Error_Code=code, X_Error_Message=code)

        def body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "") == "chunked":
                parts = []
                while size := int(self.rfile.readline(), 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))

        def parts(self) -> list[str]:
            hub.requests.append(f"{self.command} {self.path}")
            return [urllib.parse.unquote(part) for part in urllib.parse.urlsplit(self.path).path.strip("/").split("/")]

        def do_POST(self) -> None:
            parts, body = self.parts(), self.body()
            if parts[1:] == ["repos", "create"]:
                asked = json.loads(body)
                name = f"{asked.get('organization') or 'me'}/{asked['name']}"
                hub.repositories.setdefault(name, [])
                self.answer({"url": f"http://{self.headers['Host']}/{name}", "name": name})
            elif parts[1:] == ["validate-yaml"]:
                self.answer({"errors": [], "warnings": []})
            elif parts[1] == "models" and parts[4] == "preupload":
                files = json.loads(body)["files"]
                modes = [{"path": file["path"], "uploadMode": "regular", "shouldIgnore": False} for file in files]
                self.answer({"files": modes})
            elif parts[1] == "models" and parts[4] == "commit":
                self.commit(f"{parts[2]}/{parts[3]}", body)
            else:
                self.missing("EntryNotFound")

        def commit(self, name: str, body: bytes) -> None:
            commits = hub.repositories[name]
            files = dict(commits[-1][1]) if commits else {}
            for line in body.splitlines():
                entry = json.loads(line)
                value = entry["value"]
                if entry["key"] == "file":
                    files[value["path"]] = base64.b64decode(value["content"])
                elif entry["key"] == "deletedFile":
                    del files[value["path"]]
            sha = hub.commit(name, files)
            self.answer({"commitUrl": f"http://{self.headers['Host']}/{name}/commit/{sha}", "commitOid": sha})

        def do_GET(self) -> None:
            parts = self.parts()
            if parts[:2] == ["api", "models"]:
                self.describe(parts[2:])
            elif len(parts) > 4 and parts[2] == "resolve":
                self.file("/".join(parts[:2]), parts[3], "/".join(parts[4:]))
            else:
                self.missing("RepoNotFound")

        do_HEAD = do_GET  # noqa: N815  the name that the base class calls

        def describe(self, parts: list[str]) -> None:
            name = "/".join(parts[:2])
            if name not in hub.repositories:
                return self.missing("RepoNotFound")
            found = hub.at(name, parts[3] if len(parts) > 3 else "main")
            if found is None:
                if len(parts) > 2 and parts[2] == "tree" and not hub.repositories[name]:
                    return self.answer([])
                return self.missing("RevisionNotFound")
            sha, files = found
            if len(parts) > 2 and parts[2] == "tree":
                return self.answer(
                    [
                        {"type": "file", "path": path, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                        for path, data in files.items()
                    ]
                )
            return self.answer({"id": name, "sha": sha, "siblings": [{"rfilename": path} for path in files]})

        def file(self, name: str, revision: str, path: str) -> None:
            found = hub.at(name, revision)
            if name not in hub.repositories:
                return self.missing("RepoNotFound")
            if found is None or path not in found[1]:
                return self.missing("EntryNotFound")
            data = found[1][path]
            return self.answer(data, ETag=f'"{hashlib.sha1(data).hexdigest()}"', X_Repo_Commit=found[0])

    return Handler


def name_hub(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Make an address the hub's, as if HF_ENDPOINT had been set before huggingface-hub was imported."""
    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
    for module in ("constants", "file_download"):  # versions before 1.0 have a copy
        url = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(f"huggingface_hub.{module}.HUGGINGFACE_CO_URL_TEMPLATE", url, raising=False)


@contextlib.contextmanager
def serving() -> Iterator[tuple[Hub, str]]:
    """Yield a hub and its address."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
