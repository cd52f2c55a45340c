"""Hostile sites, packages and tables: no request leads elsewhere, nothing outside is read, nothing unfolds for ever."""

from __future__ import annotations

import csv
import io
import json
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import samples
from saidonce.adapters.upstream.opening import kind_of, open_upstream
from saidonce.corpus.files.writers import write_records
from saidonce.documents.parse import Limits, Sandbox
from saidonce.errors import SaidonceError, SourceRefusedError, UpstreamError
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.foundation.ports import FileGoneError, UpstreamOptions
from served_pages import ServedPages, served_pages
from world import NOON

OPTIONS = UpstreamOptions(
    lambda name: name.endswith((".html", ".txt", "x", "/")), 10_000_000, True, per_s=1_000, timeout_s=5
)
SECRET = "root:x:"
MOST_S = 20.0


@pytest.fixture
def site() -> Iterator[ServedPages]:
    """The site that is asked."""
    with served_pages() as pages:
        yield pages


@pytest.fixture
def elsewhere() -> Iterator[ServedPages]:
    """Another one, to which nobody may be sent."""
    with served_pages() as pages:
        yield pages


def fetched(address: str, kind: UpstreamKind) -> list[bytes]:
    """Give what a source yields; what it refuses is left out."""
    contents = []
    upstream = open_upstream(SyncSource("a" * 32, "main", address, kind, NOON), OPTIONS)
    try:
        for file in upstream.listing({}).files:
            try:
                got = file.fetch("")
            except (SourceRefusedError, FileGoneError):
                continue
            if got is not None:
                contents.append(got.content)
    except UpstreamError:
        pass
    finally:
        upstream.close()
    return contents


LEADS: dict[str, str] = {
    "another server": "{other}/x",
    "without its scheme": "//{other_host}/x",
    "with two slashes turned": "/\\{other_host}/x",
    "a file": "file:///etc/passwd",
    "a file of the site": "file://{host}/etc/passwd",
    "gopher": "gopher://{other_host}/_x",
    "data": "data:text/plain,root:x:0",
    "a script": "javascript:1",
    "the metadata of clouds": "http://169.254.169.254/latest/meta-data/",
    "a name before the site": "http://{host}@{other_host}/x",
    "the site as a password": "http://x:{host}@{other_host}/x",
    "the site as a part of a name": "{url}.evil.example/x",
    "a port of nothing": "http://127.0.0.1:0/x",
    "a broken address": "http://[::1/x",
    "a line end": "{url}/x\r\nHost: evil.example",
    "a null": "{url}/\x00x",
    "itself": "/a",
    "an address of a hundred thousand signs": "/" + "x" * 60_000,
}


@pytest.mark.parametrize("lead", LEADS)
def test_no_redirect_leads_elsewhere(site: ServedPages, elsewhere: ServedPages, lead: str) -> None:
    hosts = {"host": site.url[7:], "other_host": elsewhere.url[7:], "url": site.url, "other": elsewhere.url}
    target = LEADS[lead].format(**hosts)
    site.pages["/list.txt"] = (200, {}, f"{site.url}/a\n".encode())
    site.pages["/a"] = (302, {"Location": re.sub(r"[\r\n\x00]", lambda m: f"%{ord(m[0]):02x}", target)}, b"")
    for kind in (UpstreamKind.URLS, UpstreamKind.LISTING):
        address = f"{site.url}/list.txt" if kind is UpstreamKind.URLS else f"{site.url}/a/"
        contents = fetched(address, kind)
        assert not any(SECRET.encode() in content for content in contents)
    assert elsewhere.asked == []


@pytest.mark.parametrize("lead", [lead for lead in LEADS if lead != "itself"])
def test_no_list_names_what_lies_elsewhere(site: ServedPages, elsewhere: ServedPages, lead: str) -> None:
    hosts = {"host": site.url[7:], "other_host": elsewhere.url[7:], "url": site.url, "other": elsewhere.url}
    target = LEADS[lead].format(**hosts).replace("&", "&amp;").replace("\x00", "")
    entry = f"<url><loc>{target}</loc></url><sitemap><loc>{target}</loc></sitemap>"
    site.pages["/map.xml"] = (200, {}, f"<urlset>{entry}</urlset>".encode())
    site.pages["/index/"] = (200, {}, f'<a href="{target}">x</a>'.encode())
    for path, kind in (("/map.xml", UpstreamKind.SITEMAP), ("/index/", UpstreamKind.LISTING)):
        contents = fetched(f"{site.url}{path}", kind)
        assert not any(SECRET.encode() in content for content in contents)
    assert elsewhere.asked == []


@pytest.mark.parametrize(
    "address",
    [
        "--upload-pack=x", "ext::sh -c id", "git+ext::sh", "-c core.sshCommand=id", "file:///etc", "../../etc", "~root",
        "local:///etc", "http://169.254.169.254/", "dir::file:///etc", "http://[::1/x.xml",
        "ssh://-oProxyCommand=id/x", "git@-oProxyCommand=id:x", "ftp://x/y", "gopher://x", "dict://x:1/y", "ldap://x",
        "jar:http://x!/y", "http://user:pw@x/y.xml", "http://x\r\ny/z.xml", "http://\x00/x.xml", "http:///x.xml", "",
    ],
)  # fmt: skip
def test_an_address_of_a_source_is_no_command(address: str) -> None:
    options = replace(OPTIONS, roots=())
    begun = time.monotonic()
    for kind in (None, UpstreamKind.GIT, UpstreamKind.FILES, UpstreamKind.SITEMAP):
        try:
            known, normal = kind_of(address, "", kind)
            upstream = open_upstream(SyncSource("a" * 32, "main", normal, known, NOON), options)
            list(upstream.listing({}).files)
            raise AssertionError(f"{address!r} was read as {known}")
        except SaidonceError:
            pass
    assert time.monotonic() - begun < 3 * MOST_S


LAUGHS = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))
DOCTYPES: dict[str, str] = {
    "entities that multiply": f'<!DOCTYPE r [<!ENTITY l0 "root:x:">{LAUGHS}]>',
    "an entity that grows": f'<!DOCTYPE r [<!ENTITY l9 "{"root:x:" * 20_000}">]>',
    "a file": '<!DOCTYPE r [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>',
    "the network": '<!DOCTYPE r [<!ENTITY l9 SYSTEM "http://169.254.169.254/latest">]>',
    "a parameter of a file": '<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;<!ENTITY l9 "root:x:">]>',
    "a type elsewhere": '<!DOCTYPE r SYSTEM "file:///etc/passwd">',
}
"""Each defines &l9; which would show words of a file, or very many."""

USES = "&l9;" * 1_000


KEPT_BY_KEYS = (
    "s3://others/house", "s3a://others", "gs://others/x", "az://others/x", "abfs://others/x", "sftp://files.example.com/x",
    "ssh://git@github.com/others/private", "git@github.com:others/private", "git+ssh://git@github.com/others/private",
)  # fmt: skip


@pytest.mark.parametrize("address", KEPT_BY_KEYS)
@pytest.mark.parametrize("roots", [(), ("/srv/docs",), ("s3://ours", "git@github.com:ours"), ("s3://others/hou",)])
def test_nobody_from_outside_reads_with_the_keys_of_the_server(address: str, roots: tuple[str, ...]) -> None:
    kind, normal = kind_of(address)
    with pytest.raises(UpstreamError, match="sync_roots"):
        open_upstream(SyncSource("a" * 32, "main", normal, kind, NOON), replace(OPTIONS, roots=roots))


def test_what_the_operator_names_is_read_with_the_keys_of_the_server() -> None:
    kind, normal = kind_of("git@github.com:ours/docs")
    source = SyncSource("a" * 32, "main", normal, kind, NOON)
    open_upstream(source, replace(OPTIONS, roots=("git@github.com:ours",))).close()


def office(part: str, make: Callable[[], bytes]) -> Callable[[str, str], bytes]:
    def spoiled(doctype: str, use: str) -> bytes:
        source = make()
        with zipfile.ZipFile(io.BytesIO(source)) as package:
            content = package.read(part).decode()
        head, _, rest = content.rpartition("</")
        declared = re.sub(r"^(<\?xml[^>]*\?>)?\s*", lambda m: (m[1] or "") + doctype, f"{head}{use}</{rest}", count=1)
        return samples.repacked(source, {part: declared.encode()})

    return spoiled


def plain(before: str, after: str) -> Callable[[str, str], bytes]:
    return lambda doctype, use: f'<?xml version="1.0"?>{doctype}{before}{use}{after}'.encode()


ODF = "urn:oasis:names:tc:opendocument:xmlns:"
FLAT = (
    f'<office:document xmlns:office="{ODF}office:1.0" xmlns:text="{ODF}text:1.0" office:mimetype='
    '"application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>The house ',
    "</text:p></office:text></office:body></office:document>",
)


def odt(doctype: str, use: str) -> bytes:
    content = plain(*FLAT)(doctype, use)
    return samples.package({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": content})


def epub(doctype: str, use: str) -> bytes:
    page = plain('<html xmlns="http://www.w3.org/1999/xhtml"><body><p>The house ', "</p></body></html>")(doctype, use)
    opf = (
        b'<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" media-type='
        b'"application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>'
    )
    box = (
        b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf"/>'
        b"</rootfiles></container>"
    )
    parts = {"mimetype": b"application/epub+zip", "META-INF/container.xml": box, "a.opf": opf, "a.xhtml": page}
    return samples.package(parts)


XML_FORMATS: dict[str, Callable[[str, str], bytes]] = {
    "a.xml": plain("<r><item>The house ", "</item></r>"),
    "a.docbook": plain("<article><para>The house ", "</para></article>"),
    "a.dita": plain("<topic><body><p>The house ", "</p></body></topic>"),
    "a.rss": plain("<rss><channel><item><title>The house ", "</title></item></channel></rss>"),
    "a.xhtml": plain("<html><body><p>The house ", "</p></body></html>"),
    "a.fodt": plain(*FLAT),
    "a.odt": odt,
    "a.epub": epub,
    "a.docx": office("word/document.xml", samples.word),
    "b.docx": office("docProps/core.xml", samples.word),
    "c.docx": office("[Content_Types].xml", samples.word),
    "a.pptx": office("ppt/slides/slide1.xml", samples.slides),
    "a.xlsx": office("xl/worksheets/sheet1.xml", samples.workbook),
    "b.xlsx": office("xl/workbook.xml", samples.workbook),
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(parse_timeout_s=20.0), n_workers=1) as made:
        yield made


@pytest.mark.parametrize("doctype", DOCTYPES)
@pytest.mark.parametrize("name", XML_FORMATS)
def test_no_entity_of_xml_unfolds(sandbox: Sandbox, name: str, doctype: str) -> None:
    content = XML_FORMATS[name](DOCTYPES[doctype], USES)
    try:
        results = list(sandbox.map([(name, content)]))
    except SourceRefusedError as refused:
        results = [(name, refused)]
    for _, document in results:
        shown = repr(document)
        assert SECRET not in shown
        assert len(shown) < 500_000
        assert str(getattr(document, "reason", None)) not in {"timeout", "failed"}, document


def zipped(*members: tuple[str, bytes, int]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content, mode in members:
            info = zipfile.ZipInfo(name)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, mode << 16
            package.writestr(info, content)
    return out.getvalue()


FILE, LINK = 0o100644, 0o120777
PAGE = b"<html><body><h1>House</h1><p>The house is here.</p></body></html>"
EXPORTS: dict[str, Callable[[], bytes]] = {
    "a page that climbs": lambda: zipped(("../../../tmp/x.html", PAGE, FILE)),
    "a page from the root": lambda: zipped(("/etc/x.html", PAGE, FILE)),
    "a page of a drive": lambda: zipped(("C:\\x.html", PAGE, FILE)),
    "a page that climbs backwards": lambda: zipped(("..\\..\\x.html", PAGE, FILE)),
    "a link": lambda: zipped(("x.html", b"/etc/passwd", LINK)),
    "a link of a folder": lambda: zipped(("x", b"/etc", LINK), ("x/passwd.html", PAGE, FILE)),
    "a page that comes twice": lambda: zipped(("x.html", PAGE, FILE), ("x.html", b"other", FILE)),
    "names that differ in case": lambda: zipped(("x.html", PAGE, FILE), ("X.HTML", PAGE, FILE)),
    "a name of line ends": lambda: zipped(("a\r\nb.html", PAGE, FILE)),
    "a name that is turned": lambda: zipped(("a\u202elmth.html", PAGE, FILE)),
    "a name of ten thousand signs": lambda: zipped(("x" * 10_000 + ".html", PAGE, FILE)),
    "a page that unfolds": lambda: zipped(("x.html", b"<p>" + b"0" * 200_000_000, FILE)),
    "a part that is none": lambda: zipped(("x.zip", b"PK\x03\x04 no", FILE)),
    "a part in itself": lambda: zipped(("x.zip", zipped(("y.zip", zipped(("z.html", PAGE, FILE)), FILE)), FILE)),
    "no package": lambda: b"PK\x05\x06" + b"\x00" * 18,
    "half a package": lambda: zipped(("x.html", PAGE * 100, FILE))[:-30],
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_yields_pages_under_its_own_name_alone(tmp_path: Path, name: str) -> None:
    path = tmp_path / "wiki.zip"
    path.write_bytes(EXPORTS[name]())
    before = sorted(tmp_path.rglob("*"))
    try:
        upstream = open_upstream(SyncSource("a" * 32, "main", str(path), UpstreamKind.EXPORT, NOON), OPTIONS)
        try:
            files = upstream.listing({}).files
            for file in files:
                assert ".." not in file.name.split("/"), file.name
                assert file.name.isprintable(), file.name
                try:
                    got = file.fetch("")
                except (SourceRefusedError, OSError):
                    continue
                assert got is None or len(got.content) <= OPTIONS.max_bytes
                assert got is None or SECRET.encode() not in got.content
        finally:
            upstream.close()
    except UpstreamError:
        pass
    assert sorted(tmp_path.rglob("*")) == before


FORMULAS = ["=1+1", "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1+1", "\r=1+1", "\n=1+1", " =1+1", "\uff1d1+1",
            '"=1+1"', "=HYPERLINK(\"https://evil.example\")", "-5", "+49 30 1", "@ana"]  # fmt: skip


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
@pytest.mark.parametrize("formula", FORMULAS)
def test_a_cell_comes_back_as_it_was_and_stays_one_cell(tmp_path: Path, formula: str, ending: str) -> None:
    """What is written here is read by programs: nothing may be added to a cell, and no cell may become two."""
    file = tmp_path / f"kept{ending}"
    write_records(file, lambda: [{"text": formula, formula: "x"}])
    content = file.read_text(encoding="utf-8")
    if ending == ".jsonl":
        rows = [json.loads(line) for line in content.splitlines()]
    else:
        with file.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines, delimiter="\t" if ending == ".tsv" else ","))
    assert rows == [{"text": formula, formula: "x"}]
