"""Where what can be made again is kept."""

from concurrent.futures import ThreadPoolExecutor

from firth.storage.files import cache_folder, caching_in


def test_a_thread_keeps_it_elsewhere_and_others_do_not(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "usual"))
    with caching_in(tmp_path / "own"), ThreadPoolExecutor(1) as pool:
        assert cache_folder("counts") == tmp_path / "own" / "counts"
        assert pool.submit(cache_folder, "counts").result() == tmp_path / "usual" / "counts"
    assert cache_folder("counts") == tmp_path / "usual" / "counts"
