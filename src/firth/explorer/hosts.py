"""By which names a server may be called, from the address that it listens on."""

import ipaddress
from collections.abc import Sequence

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANY = ("0.0.0.0", "::")  # every address of the machine


def hosts_of(host: str, allowed: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names by which a server may be called.

    Args:
        host: the address that it listens on.
        allowed: further names, such as that of a proxy.
    """
    return (*(LOOPBACK if is_loopback(host) or host in ANY else (host,)), *allowed)


def is_loopback(host: str) -> bool:
    """Return whether an address to listen on is reached from this machine only."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
