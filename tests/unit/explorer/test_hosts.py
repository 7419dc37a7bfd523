"""Names by which a server may be called."""

import pytest

from firth.errors import OptionError
from firth.explorer.hosts import hosts_of, is_loopback


def test_hosts():
    assert hosts_of("127.0.0.1", []) == ("localhost", "127.0.0.1", "::1")
    assert hosts_of("0.0.0.0", ["words.example"]) == ("localhost", "127.0.0.1", "::1", "words.example")
    assert hosts_of("192.168.1.5", []) == ("192.168.1.5",)
    assert hosts_of("::1") == hosts_of("localhost") == ("localhost", "127.0.0.1", "::1")
    assert hosts_of("127.0.0.2") == ("localhost", "127.0.0.1", "::1", "127.0.0.2")
    assert not is_loopback("words.example")


@pytest.mark.parametrize("name", ["https://words.example", "words.example/", "words.example:80", "", "a b"])
def test_names_that_are_more(name):
    with pytest.raises(OptionError, match="expected the name of a host alone"):
        hosts_of("0.0.0.0", [name])
    assert "::2" in hosts_of("0.0.0.0", ["::2"])
