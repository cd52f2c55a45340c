"""Folders, exports of wikis, and object storage as sources."""

from __future__ import annotations

import io
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saidonce.adapters.upstream import folder as folders
from saidonce.adapters.upstream import kind_of, open_upstream
from saidonce.adapters.upstream.files import RemoteFiles
from saidonce.adapters.upstream.folder import Folder
from saidonce.adapters.upstream.packed import PackedExport
from saidonce.documents.parse import is_supported
from saidonce.errors import SourceRefusedError, UpstreamError, UsageError
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.foundation.ports import FileGoneError, Upstream, UpstreamListing, UpstreamOptions
from world import NOON

OPTIONS = UpstreamOptions(is_supported, 1_000)


def names(listing: UpstreamListing, root: str = "") -> list[str]:
    return [file.name.removeprefix(f"{root}/") for file in listing.files]


def contents(upstream: Upstream) -> dict[str, bytes]:
    fetched = {file.name: file.fetch("") for file in upstream.listing({}).files}
    return {name.removeprefix(f"{upstream.root}/"): f.content for name, f in fetched.items() if f is not None}


def test_a_folder_lists_what_can_be_read_and_nothing_hidden_or_outside(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    (root / "deep").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "a.txt").write_text("no")
    (tmp_path / "secret.txt").write_text("no")
    (root / "out.txt").symlink_to(tmp_path / "secret.txt")
    (root / "loop").symlink_to(root)
    (root / "a.txt").write_text("a")
    (root / "deep" / "b.md").write_text("b")
    (root / "in.txt").symlink_to(root / "a.txt")
    (root / "x.foo").write_text("x")
    os.mkfifo(root / "pipe.txt")
    upstream = Folder(root, "", OPTIONS)
    listing = upstream.listing({})
    assert names(listing, str(root)) == ["a.txt", "deep/b.md", "in.txt"]
    assert listing.passed_over == (f"{root}/x.foo",)
    assert contents(upstream) == {"a.txt": b"a", "deep/b.md": b"b", "in.txt": b"a"}
    assert names(Folder(root, "wiki", OPTIONS).listing({}))[0] == "wiki/a.txt"


def test_no_depth_and_no_link_ends_the_listing_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    deep = tmp_path.joinpath(*["d"] * 1_200)
    for folder in [*reversed(deep.parents), deep]:
        folder.mkdir(exist_ok=True)
    (deep / "b.txt").write_text("b")
    (tmp_path / "self.txt").symlink_to("self.txt")
    listing = Folder(tmp_path, "", OPTIONS).listing({})
    assert names(listing, str(tmp_path)) == ["a.txt", f"{'d/' * 1_200}b.txt"]
    assert listing.unseen == (f"{tmp_path}/self.txt",)
    (deep / "b.txt").unlink()
    for folder in (deep, *list(deep.parents)[:1_199]):  # pytest removes folders by recursion, and could not
        folder.rmdir()


def test_a_link_that_the_system_cannot_read_is_unseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "exe").symlink_to("a.txt")

    def readlink(path: str, **_options: int) -> str:
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr(os, "readlink", readlink)
    listing = Folder(tmp_path, "", OPTIONS).listing({})
    assert names(listing, str(tmp_path)) == ["a.txt"]
    assert listing.unseen == (f"{tmp_path}/exe",)


def test_a_file_that_has_settled_has_a_mark_that_no_edit_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one")
    upstream = Folder(tmp_path, "", OPTIONS)
    assert upstream.listing({}).files[0].mark == "", "it may change again within the same tick of the clock"
    monkeypatch.setattr(folders, "SETTLED_NS", -(10**12))
    before = upstream.listing({}).files[0].mark
    assert before == upstream.listing({}).files[0].mark != ""
    state = file.stat()
    file.write_text("two")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert upstream.listing({}).files[0].mark != before, "a date that was set back does not hide an edit"


def test_what_may_not_be_read_is_unseen_and_a_missing_folder_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "locked").mkdir()
    (tmp_path / "a.txt").write_text("a")
    scandir = os.scandir

    def guarded(path: Path) -> Any:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert Folder(tmp_path, "", OPTIONS).listing({}).unseen == (f"{tmp_path}/locked",)
    with pytest.raises(UpstreamError, match="is its disk mounted"):
        Folder(tmp_path / "nowhere", "", OPTIONS).listing({})


def test_a_large_file_is_refused_and_one_that_went_is_gone(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_text("x" * 1_001)
    (tmp_path / "gone.txt").write_text("x")
    big, gone = Folder(tmp_path, "", OPTIONS).listing({}).files
    (tmp_path / "gone.txt").unlink()
    with pytest.raises(SourceRefusedError, match="max_source_mb"):
        big.fetch("")
    with pytest.raises(FileGoneError):
        gone.fetch("")


def packed(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as package:
        for name, content in files.items():
            package.writestr(name, content)
    return stream.getvalue()


CONFLUENCE = {
    "SPACE/index.html": b"<html><a href='A_1.html'>A</a></html>",
    "SPACE/styles/site.css": b"body {}",
    "SPACE/A_1.html": b"<html><p>Backups are kept.</p></html>",
    "SPACE/attachments/1/2.pdf": b"%PDF-1.7",
    "SPACE/attachments/1/3.png": b"\x89PNG",
    "__MACOSX/SPACE/A_1.html": b"no",
    ".DS_Store": b"no",
}


def test_an_export_of_confluence_is_its_pages_without_the_page_that_lists_them(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(packed(CONFLUENCE))
    upstream = PackedExport(path, "wiki", OPTIONS)
    listing = upstream.listing({})
    assert names(listing, "wiki") == ["SPACE/A_1.html", "SPACE/attachments/1/2.pdf", "SPACE/attachments/1/3.png"]
    assert {"wiki/SPACE/index.html", "wiki/SPACE/styles/site.css"} <= set(listing.passed_over)
    assert contents(upstream)["SPACE/A_1.html"] == CONFLUENCE["SPACE/A_1.html"]
    upstream.close()
    with zipfile.ZipFile(path) as package:
        package.extractall(tmp_path / "export")
    source = SyncSource("a" * 32, "main", str(tmp_path / "export"), UpstreamKind.EXPORT, NOON, name_as="wiki")
    assert names(open_upstream(source, OPTIONS).listing({}), "wiki")[0] == "SPACE/A_1.html"
    assert "wiki/SPACE/index.html" not in names(open_upstream(source, OPTIONS).listing({}))


def test_an_export_of_notion_has_parts_and_an_index_of_its_own_is_a_page(tmp_path: Path) -> None:
    part = packed({"Team 1f/Rules 2e.md": b"# Rules", "Team 1f/index.html": b"<html>A page</html>"})
    path = tmp_path / "export.zip"
    path.write_bytes(packed({"Export-Part-1.zip": part}))
    upstream = PackedExport(path, "notion", OPTIONS)
    assert contents(upstream) == {"Team 1f/Rules 2e.md": b"# Rules", "Team 1f/index.html": b"<html>A page</html>"}
    upstream.close()


def test_a_damaged_export_is_an_error_and_removes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    path.write_bytes(packed(CONFLUENCE)[:-30])
    with pytest.raises(UpstreamError, match="the ZIP cannot be read"):
        PackedExport(path, "", OPTIONS).listing({})


def test_files_of_any_file_system_of_fsspec() -> None:
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory", skip_instance_cache=True)
    system.pipe({"/box/a.txt": b"a", "/box/deep/b.md": b"b", "/box/.hidden/c.txt": b"c", "/boxes/d.txt": b"d"})
    try:
        upstream = RemoteFiles("memory://box", "", OPTIONS, system)
        assert contents(upstream) == {"a.txt": b"a", "deep/b.md": b"b"}
        listed = upstream.listing({}).files
        system.rm("/box/a.txt")
        with pytest.raises(FileGoneError):
            listed[0].fetch("")
        system.pipe("/box/deep/b.md", b"x" * 2_000)
        with pytest.raises(SourceRefusedError):
            upstream.listing({}).files[0].fetch("")
        system.rm("/box", recursive=True)
        with pytest.raises(UpstreamError):
            upstream.listing({})
    finally:
        system.store.clear()


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A bucket on moto's server, where that is installed."""
    pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "FSSPEC_S3_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    client = sys.modules.get("boto3") or pytest.importorskip("boto3")
    bucket = client.client("s3", endpoint_url=f"http://{host}:{port}")
    bucket.create_bucket(Bucket="wiki")
    yield bucket
    server.stop()


@pytest.mark.filterwarnings("ignore")
def test_objects_of_s3_are_skipped_by_their_entity_tags(s3: Any) -> None:
    for key, body in {"team/a.txt": b"a", "team/b/c.md": b"c", "other.txt": b"no"}.items():
        s3.put_object(Bucket="wiki", Key=key, Body=body)
    source = SyncSource("a" * 32, "main", "s3://wiki/team", UpstreamKind.FILES, NOON)
    upstream = open_upstream(source, OPTIONS)
    assert contents(upstream) == {"a.txt": b"a", "b/c.md": b"c"}
    marks = {file.name: file.mark for file in upstream.listing({}).files}
    s3.put_object(Bucket="wiki", Key="team/a.txt", Body=b"b")
    after = {file.name: file.mark for file in upstream.listing({}).files}
    assert after["s3://wiki/team/b/c.md"] == marks["s3://wiki/team/b/c.md"] != ""
    assert after["s3://wiki/team/a.txt"] != marks["s3://wiki/team/a.txt"]
    upstream.close()


@pytest.mark.parametrize(
    ("address", "ref", "kind"),
    [
        ("https://github.com/acme/docs.git", "", UpstreamKind.GIT),
        ("git@github.com:acme/docs", "", UpstreamKind.GIT),
        ("git+https://example.com/docs", "", UpstreamKind.GIT),
        ("https://example.com/docs", "main", UpstreamKind.GIT),
        ("https://example.com/sitemap.xml", "", UpstreamKind.SITEMAP),
        ("https://example.com/map.xml.gz?v=2", "", UpstreamKind.SITEMAP),
        ("https://example.com/pages.txt", "", UpstreamKind.URLS),
        ("https://example.com/files/", "", UpstreamKind.LISTING),
        ("https://example.com", "", UpstreamKind.LISTING),
        ("s3://bucket/path", "", UpstreamKind.FILES),
        ("sftp://me@host/path", "", UpstreamKind.FILES),
        ("/nowhere/at/all", "", UpstreamKind.FOLDER),
        ("./export.zip", "", UpstreamKind.EXPORT),
    ],
)
def test_an_address_tells_what_it_is(address: str, ref: str, kind: UpstreamKind) -> None:
    assert kind_of(address, ref)[0] is kind


@pytest.mark.parametrize(
    ("address", "ref"),
    [
        ("https://ann:secret@example.com/sitemap.xml", ""),
        ("https://token@example.com/docs.git", ""),
        ("https://example.com/page", ""),
        ("gopher://example.com/", ""),
        (" ", ""),
        (__file__, ""),
    ],
)
def test_an_address_that_makes_no_sense_or_holds_a_secret_is_refused(address: str, ref: str) -> None:
    with pytest.raises(UsageError) as refused:
        kind_of(address, ref)
    assert "secret" not in str(refused.value)


def test_callers_from_outside_name_local_sources_only_below_the_folders_that_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    shut = UpstreamOptions(is_supported, 1_000, roots=())
    some = UpstreamOptions(is_supported, 1_000, roots=(str(tmp_path / "open"),))
    for path in (tmp_path / "open", tmp_path / "open" / ".." / "other", Path("/etc")):
        kind, address = kind_of(str(path), kind=UpstreamKind.FOLDER)
        source = SyncSource("a" * 32, "main", address, kind, NOON)
        with pytest.raises(UpstreamError, match="sync_roots"):
            open_upstream(source, shut)
        if path.name == "open":
            assert open_upstream(source, some).root == str(path)
        else:
            with pytest.raises(UpstreamError, match="sync_roots"):
                open_upstream(source, some)
    shutil.rmtree(tmp_path / "open")
