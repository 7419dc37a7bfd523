"""Flags of commands that can train on a cluster."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from firth.cluster.ray_crew import ray_package
from firth.errors import OptionError

ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Work on a Ray cluster: its address, 'auto' for the one of this machine, 'local' to start one.",
        metavar="ADDRESS",
    ),
]
Workers = Annotated[int | None, typer.Option(help="Workers of the cluster; by default one per processor.", metavar="N")]


def check_cluster(cluster: str | None, workers: int | None, others: Mapping[str, Any]) -> None:
    """Check, before a long text is read, that Ray is there and no option makes another one meaningless.

    Args:
        cluster: address of the cluster, or None.
    """
    if cluster is None:
        if workers is not None:
            raise OptionError(
                f"--workers {workers} without --cluster; use --threads for threads of this machine, or --cluster with "
                "an address"
            )
        return
    if more := [flag for flag, value in others.items() if value is not None]:
        raise OptionError(
            f"{' and '.join(more)} with --cluster: each of --workers is one process with one thread, and the seed "
            "decides every bit; leave it out"
        )
    ray_package()
