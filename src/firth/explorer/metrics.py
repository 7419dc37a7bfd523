"""Counts and times of requests, in the text format of Prometheus."""

from collections.abc import Collection

from firth.errors import MissingExtraError

try:
    from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
except ImportError as error:
    raise MissingExtraError("prometheus-client", "explorer", "serve models") from error

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
METHODS = ("GET", "HEAD", "POST")


class Metrics:
    """Counts and times of requests by address.

    Args:
        paths: counted separately; all others count as "other", so that hostile requests cannot add series.
    """

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(paths)
        self._registry = CollectorRegistry()
        labels = ("method", "path", "status")
        self._requests = Counter("firth_requests", "Requests", labels, registry=self._registry)
        self._seconds = Histogram(
            "firth_request_seconds", "Seconds until the answer", ("path",), buckets=SECONDS, registry=self._registry
        )

    def count(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request.

        Args:
            method: such as "GET".
            status: of the answer; 0 if there was none.
        """
        path = path if path in self._paths else "other"
        self._requests.labels(method if method in METHODS else "other", path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def text(self) -> bytes:
        """Return all counts."""
        return generate_latest(self._registry)
