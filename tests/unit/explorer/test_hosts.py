"""Names by which a server may be called."""

import pytest

from firth.errors import OptionError
from firth.explorer.hosts import host_of, hosts_of, is_loopback


def test_hosts():
    assert hosts_of("127.0.0.1", []) == ("localhost", "127.0.0.1", "::1")
    assert hosts_of("0.0.0.0", ["words.example"]) == ("localhost", "127.0.0.1", "::1", "words.example")
    assert hosts_of("192.168.1.5", []) == ("192.168.1.5",)
    assert hosts_of("::1") == hosts_of("localhost") == ("localhost", "127.0.0.1", "::1")
    assert hosts_of("127.0.0.2") == ("localhost", "127.0.0.1", "::1", "127.0.0.2")
    assert not is_loopback("words.example")


@pytest.mark.parametrize(
    "name", ["https://words.example", "words.example/", "words.example:80", "", "a b", "a@b", "a?b"]
)
def test_names_that_are_more(name):
    with pytest.raises(OptionError, match="expected the name of a host alone"):
        hosts_of("0.0.0.0", [name])
    assert "::2" in hosts_of("0.0.0.0", ["::2"])


def test_host_headers():
    assert [host_of(each) for each in ("A.example:80", "[::1]:8000", "[::1]", "1.2.3.4:", "")] == [
        "a.example", "::1", "::1", "1.2.3.4", "",
    ]  # fmt: skip
    for wrong in (
        "evil.com@127.0.0.1",
        "127.0.0.1/x",
        "::1",
        "[::1",
        "a b",
        "a\n",
        "a:b",
        "a:123456",
        "b\u00fccher.example",
    ):
        assert host_of(wrong) is None
