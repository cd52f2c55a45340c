"""Websites and Git repositories as sources, on real servers of this machine."""

from __future__ import annotations

import gzip
import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.free_ports import free_port

from saidonce.adapters.upstream import open_upstream
from saidonce.adapters.upstream.web import WebClient
from saidonce.documents.parse import is_supported
from saidonce.errors import SourceRefusedError, UpstreamError
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.foundation.ports import FileGoneError, Upstream, UpstreamFile, UpstreamListing, UpstreamOptions
from served_pages import ServedPages, served_pages
from world import NOON

pytest.importorskip("protego")
porcelain = pytest.importorskip("dulwich.porcelain")

OPTIONS = UpstreamOptions(is_supported, 10_000, allow_private=True, per_s=1_000, timeout_s=5, formats="f")
PUBLIC_ONLY = UpstreamOptions(is_supported, 10_000, per_s=1_000, timeout_s=5)


@pytest.fixture
def site() -> Iterator[ServedPages]:
    with served_pages() as pages:
        yield pages


def source(address: str, kind: UpstreamKind, **more: Any) -> SyncSource:
    return SyncSource("a" * 32, "main", address, kind, NOON, **more)


def sitemap(*urls: str, root: str = "urlset", entry: str = "url") -> str:
    rows = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in urls)
    return f'<?xml version="1.0"?><{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{root}>'


def names(listing: UpstreamListing) -> list[str]:
    return [file.name for file in listing.files]


def only(upstream: Upstream) -> UpstreamFile:
    (file,) = upstream.listing({}).files
    return file


def test_a_sitemap_names_pages_of_its_own_site_that_robots_allow(site: ServedPages) -> None:
    site.put("/robots.txt", "User-agent: *\nDisallow: /private\nDisallow: /*.pdf$\n")
    site.put("/map.xml", sitemap(f"{site.url}/pages.xml.gz", root="sitemapindex", entry="sitemap"))
    pages = [f"{site.url}/a", f"{site.url}/a#top", f"{site.url}/private/b", f"{site.url}/c.pdf", f"{site.url}/d.woff2"]
    site.put("/pages.xml.gz", gzip.compress(sitemap(*pages, "https://elsewhere.example/x").encode()))
    upstream = open_upstream(source(f"{site.url}/map.xml", UpstreamKind.SITEMAP), OPTIONS)
    listing = upstream.listing({})
    assert names(listing) == [f"{site.url}/a"]
    assert set(listing.passed_over) == {f"{site.url}/private/b", f"{site.url}/c.pdf", f"{site.url}/d.woff2"}
    assert "/private/b" not in site.asked


def test_a_page_is_asked_for_by_its_tag_and_gone_is_gone_and_a_failure_is_not(site: ServedPages) -> None:
    site.put("/map.xml", sitemap(f"{site.url}/a"))
    site.put("/a", "<html><p>Backups.</p></html>", ETag='"v1"')
    upstream = open_upstream(source(f"{site.url}/map.xml", UpstreamKind.SITEMAP), OPTIONS)
    first = only(upstream).fetch("")
    assert first is not None
    assert only(upstream).fetch(first.mark) is None
    site.put("/a", "<html><p>Others.</p></html>", ETag='"v2"')
    again = only(upstream).fetch(first.mark)
    assert again is not None
    assert b"Others" in again.content
    site.put("/a", "", status=500)
    with pytest.raises(SourceRefusedError, match="answered 500"):
        only(upstream).fetch("")
    site.put("/a", "x" * 20_000)
    with pytest.raises(SourceRefusedError, match="max_source_mb"):
        only(upstream).fetch("")
    del site.pages["/a"]
    with pytest.raises(FileGoneError):
        only(upstream).fetch("")


def test_a_site_that_cannot_be_listed_is_an_error_and_concludes_nothing(site: ServedPages) -> None:
    upstream = open_upstream(source(f"{site.url}/map.xml", UpstreamKind.SITEMAP), OPTIONS)
    with pytest.raises(UpstreamError, match="answered 404"):
        upstream.listing({})
    for body in (
        "<html></html>",
        "no xml",
        '<!DOCTYPE u [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset>&e;</urlset>',
    ):
        site.put("/map.xml", body)
        with pytest.raises(UpstreamError, match="no sitemap"):
            upstream.listing({})
    site.put("/robots.txt", "", status=500)
    site.put("/map.xml", sitemap(f"{site.url}/a"))
    with pytest.raises(UpstreamError, match=r"robots.txt cannot be read"):
        open_upstream(source(f"{site.url}/map.xml", UpstreamKind.SITEMAP), OPTIONS).listing({})


def test_a_redirect_is_followed_on_the_same_site_only(site: ServedPages) -> None:
    site.put("/robots.txt", "User-agent: *\nDisallow: /private\n")
    site.put("/map.xml", sitemap(f"{site.url}/a"))
    upstream = open_upstream(source(f"{site.url}/map.xml", UpstreamKind.SITEMAP), OPTIONS)
    site.put("/a", "", status=302, Location="/b")
    site.put("/b", "moved")
    fetched = only(upstream).fetch("")
    assert fetched is not None
    assert fetched.content == b"moved"
    for target, reason in (("http://localhost:1/x", "another site"), ("/private", "robots"), ("/a", "redirects")):
        site.put("/a", "", status=302, Location=target)
        with pytest.raises(SourceRefusedError, match=reason):
            only(upstream).fetch("")
    assert "/private" not in site.asked


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "0.0.0.0"])
def test_private_addresses_are_not_asked_unless_that_is_allowed(host: str) -> None:
    for kind in (UpstreamKind.SITEMAP, UpstreamKind.URLS, UpstreamKind.LISTING, UpstreamKind.GIT):
        upstream = open_upstream(source(f"http://{host}:9/x/", kind), PUBLIC_ONLY)
        with pytest.raises(UpstreamError):
            upstream.listing({})
        upstream.close()


def test_a_public_name_that_leads_to_a_private_address_is_not_asked(
    site: ServedPages, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", int(site.url.rpartition(":")[2])))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answer)
    for address in (f"http://docs.example.com:{site.url.rpartition(':')[2]}/{path}" for path in ("map.xml", "x.git")):
        kind = UpstreamKind.GIT if address.endswith("git") else UpstreamKind.SITEMAP
        upstream = open_upstream(source(address, kind), PUBLIC_ONLY)
        with pytest.raises(UpstreamError, match="private address"):
            upstream.listing({})
        upstream.close()
    assert site.asked == []


def test_a_server_is_asked_as_often_as_is_polite(site: ServedPages) -> None:
    pauses: list[float] = []
    web = WebClient(UpstreamOptions(is_supported, 1_000, allow_private=True, per_s=0.01), pauses.append)
    site.put("/a", "a")
    for _ in range(3):
        web.get(f"{site.url}/a", 100)
    assert sum(pauses) == pytest.approx(100 + 200, abs=30), "each request has its turn a hundred seconds later"
    site.put("/robots.txt", "User-agent: *\nCrawl-delay: 7\n")
    slow = WebClient(UpstreamOptions(is_supported, 1_000, allow_private=True, per_s=4), pauses.append)
    assert slow.may_fetch(f"{site.url}/a")
    pauses.clear()
    slow.get(f"{site.url}/a", 100)
    slow.get(f"{site.url}/a", 100)
    assert pauses[-1] > 6
    pauses.clear()
    site.put("/busy", "", status=429, Retry_After="3")
    assert web.get(f"{site.url}/busy", 100).status == 429
    assert pauses.count(3.0) == 2, "it is asked again after the pause that it asks for"


def test_the_index_of_a_folder_and_a_list_of_addresses(site: ServedPages, tmp_path: Path) -> None:
    site.put("/docs/", '<a href="../">up</a><a href="a.txt">a</a><a href="?C=M">sort</a><a href="deep/">d</a>')
    site.put(
        "/docs/deep/", '<a href="b.md">b</a><a href="c.woff2">c</a><a href="/other/x.txt">x</a><a href="/docs/">up</a>'
    )
    listing = open_upstream(source(f"{site.url}/docs", UpstreamKind.LISTING), OPTIONS)
    assert names(listing.listing({})) == [f"{site.url}/docs/a.txt", f"{site.url}/docs/deep/b.md"]
    assert listing.root == f"{site.url}/docs"
    file = tmp_path / "pages.txt"
    file.write_text(f"# ours\n{site.url}/a\n\n{site.url}/b # the second\n")
    assert names(open_upstream(source(str(file), UpstreamKind.URLS), OPTIONS).listing({})) == [
        f"{site.url}/a", f"{site.url}/b",
    ]  # fmt: skip
    file.write_text("file:///etc/passwd")
    with pytest.raises(UpstreamError, match="line 1 is no address"):
        open_upstream(source(str(file), UpstreamKind.URLS), OPTIONS).listing({})


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    porcelain.init(str(folder))
    commit(folder, {"a.txt": "Backups are kept.", "deep/b.md": "# Keys", "c.bin": "no", ".github/x.md": "no"})
    return folder


def commit(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    porcelain.add(str(folder), paths=[str(folder / name) for name in files])
    sha = porcelain.commit(str(folder), message=b"m", author=b"a <a@x>", committer=b"a <a@x>")
    return bytes(sha).decode()


@pytest.fixture
def daemon(repo: Path) -> Iterator[str]:
    """The repository behind a Git daemon of this machine."""
    port = free_port()
    from dulwich.server import DictBackend, TCPGitServer

    served = porcelain.open_repo(str(repo))
    server = TCPGitServer(DictBackend({"/docs.git": served}), "127.0.0.1", port)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"git://127.0.0.1:{port}/docs.git"
    server.shutdown()
    thread.join()
    server.server_close()
    served.close()


def read(upstream: Upstream) -> dict[str, bytes]:
    fetched = {f.name.removeprefix(f"{upstream.root}/"): f.fetch("") for f in upstream.listing({}).files}
    return {name: f.content for name, f in fetched.items() if f is not None}


def test_a_repository_of_this_machine_at_a_ref(repo: Path) -> None:
    first = source(str(repo), UpstreamKind.GIT)
    upstream = open_upstream(first, OPTIONS)
    assert upstream.root == f"{repo}@HEAD"
    assert read(upstream) == {"a.txt": b"Backups are kept.", "deep/b.md": b"# Keys"}
    marks = {f.name: f.mark for f in upstream.listing({}).files}
    upstream.close()
    porcelain.tag_create(str(repo), b"v1", message=b"t", author=b"a <a@x>", annotated=True)
    sha = commit(repo, {"a.txt": "Backups are kept for ever."})
    after = {f.name: f.mark for f in open_upstream(first, OPTIONS).listing({}).files}
    assert [name for name in marks if marks[name] != after[name]] == [f"{repo}@HEAD/a.txt"]
    for ref, text in (("v1", b"Backups are kept."), (sha, b"Backups are kept for ever.")):
        assert read(open_upstream(source(str(repo), UpstreamKind.GIT, ref=ref), OPTIONS))["a.txt"] == text
    with pytest.raises(UpstreamError, match="there is no branch, tag or commit 'nope'"):
        open_upstream(source(str(repo), UpstreamKind.GIT, ref="nope"), OPTIONS).listing({})


def test_a_repository_of_a_server_is_fetched_only_when_it_has_another_commit(
    repo: Path, daemon: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    upstream = open_upstream(source(daemon, UpstreamKind.GIT), OPTIONS)
    listing = upstream.listing({})
    known = {file.name: file.mark for file in listing.files}
    assert set(read(upstream)) == {"a.txt", "deep/b.md"}
    upstream.close()
    assert not list(tmp_path.glob("saidonce-git-*")), "nothing that was fetched stays"
    same = open_upstream(source(daemon, UpstreamKind.GIT, cursor=listing.cursor), OPTIONS)
    assert {f.name: f.mark for f in same.listing(known).files} == known
    assert not list(tmp_path.glob("saidonce-git-*")), "the same commit is not fetched"
    same.close()
    commit(repo, {"n.txt": "New."})
    fresh = open_upstream(source(daemon, UpstreamKind.GIT, cursor=listing.cursor), OPTIONS)
    assert len(fresh.listing(known).files) == 3
    fresh.close()


SSH = """#!{python}
import os, shlex, sys
from dulwich.porcelain import upload_pack
print("Welcome.", file=sys.stderr)
program, path = shlex.split(sys.argv[-1])
assert program == "git-upload-pack" and "git@127.0.0.1" in sys.argv
upload_pack(path)
"""


def test_a_repository_behind_ssh_is_read(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(SSH.format(python=sys.executable))
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    for address in (f"ssh://git@127.0.0.1{repo}", f"git@127.0.0.1:{repo}"):
        upstream = open_upstream(source(address, UpstreamKind.GIT), OPTIONS)
        assert read(upstream) == {"a.txt": b"Backups are kept.", "deep/b.md": b"# Keys"}
        upstream.close()


def test_a_pointer_of_git_lfs_is_no_text(repo: Path) -> None:
    commit(repo, {"a.txt": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"})
    file = open_upstream(source(str(repo), UpstreamKind.GIT), OPTIONS).listing({}).files[0]
    with pytest.raises(SourceRefusedError, match="Git LFS"):
        file.fetch("")


def test_what_is_no_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UpstreamError):
        open_upstream(source(str(tmp_path), UpstreamKind.GIT), OPTIONS).listing({})
