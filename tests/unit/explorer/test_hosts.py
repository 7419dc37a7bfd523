"""Names by which a server may be called."""

from firth.explorer.hosts import hosts_of, is_loopback


def test_hosts():
    assert hosts_of("127.0.0.1", []) == ("localhost", "127.0.0.1", "::1")
    assert hosts_of("0.0.0.0", ["words.example"]) == ("localhost", "127.0.0.1", "::1", "words.example")
    assert hosts_of("192.168.1.5", []) == ("192.168.1.5",)
    assert hosts_of("::1") == hosts_of("localhost") == ("localhost", "127.0.0.1", "::1")
    assert not is_loopback("words.example")
