"""By which names a server may be called, from the address that it listens on."""

import ipaddress
import re
from collections.abc import Sequence

from firth.errors import OptionError

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANY = ("0.0.0.0", "::")  # every address of the machine
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]*))(?::[0-9]{0,5})?")


def host_of(header: str) -> str | None:
    """Return the name or address of a Host header in lower case, without its port; None for anything else.

    Source: RFC 9112, section 3.2, without the characters that no name of a server has. A user before `@`, a path and a
    query are no part of a Host header, and what parsers of whole addresses make of them differs.
    """
    match = _HOST.fullmatch(header)
    return (match[1] or match[2]).lower() if match else None


def hosts_of(host: str, allowed: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names by which a server may be called.

    Raises:
        OptionError: one of them is more than a name or an address.
    """
    for name in allowed:
        if not name or (host_of(name) != name.lower() and not _is_address(name)):
            raise OptionError(f"{name!r}: expected the name of a host alone, such as words.example.org")
    own = (host,) if host not in ANY else ()
    return tuple(dict.fromkeys((*(LOOPBACK if is_loopback(host) or host in ANY else ()), *own, *allowed)))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether an address to listen on is reached from this machine only."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
