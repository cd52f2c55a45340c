"""Archives and mailboxes are unpacked within bounds, every member under a name of its own."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest

from saidonce.documents.parse import Limits, NamedBytes, Sandbox
from saidonce.documents.parse import containers as module
from saidonce.documents.parse.containers import unpack
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.context import Source
from saidonce.foundation.model import Unpacked
from saidonce.kb.ingest.containers import kept_names, members


def zipped(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return out.getvalue()


def tarred(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in parts.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def opened(name: str, content: bytes) -> Unpacked:
    return unpack(NamedBytes(name, content, Limits()))


FILES = {"b/rules.md": b"# Rules", "a.txt": b"Hello."}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("docs/x.zip", zipped(FILES)),
        ("docs/x.tar", tarred(FILES)),
        ("docs/x.tar.gz", gzip.compress(tarred(FILES))),
        ("docs/x.tgz", gzip.compress(tarred(FILES))),
    ],
)
def test_members_are_named_by_their_archive(name: str, content: bytes) -> None:
    assert opened(name, content).members == ((f"{name}/a.txt", b"Hello."), (f"{name}/b/rules.md", b"# Rules"))


def test_a_packed_file_is_named_without_its_ending() -> None:
    assert opened("x/notes.md.gz", gzip.compress(b"# N")).members == (("x/notes.md.gz/notes.md", b"# N"),)


def test_archives_in_archives_are_opened_to_a_depth() -> None:
    content = zipped({"a.txt": b"deep"})
    for _ in range(4):
        content = zipped({"in.zip": content, "here.txt": b"x"})
    unpacked = opened("x.zip", content)
    assert [name for name, _ in unpacked.members] == [
        "x.zip/here.txt", "x.zip/in.zip/here.txt", "x.zip/in.zip/in.zip/here.txt",
    ]  # fmt: skip
    assert [(name, reason) for name, reason, _ in unpacked.refused] == [("x.zip/in.zip/in.zip/in.zip", Refusal.HOSTILE)]


def test_names_that_point_outside_are_refused_and_unknown_formats_counted() -> None:
    unpacked = opened(
        "x.zip", zipped({"../evil.txt": b"x", "/abs.txt": b"x", "p.blend": b"x", ".hid": b"x", "a.txt": b"A"})
    )
    assert [name for name, _ in unpacked.members] == ["x.zip/a.txt"]
    assert {reason for _, reason, _ in unpacked.refused} == {Refusal.HOSTILE}
    assert unpacked.passed_over == ("x.zip/p.blend",)


def test_an_office_file_called_zip_is_itself() -> None:
    content = zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"})
    assert opened("letter.zip", content).members == (("letter.zip", content),)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.zip", zipped({"a.txt": b"0" * (40 << 20)}), Refusal.HOSTILE),
        ("x.gz", gzip.compress(b"0" * (40 << 20)), Refusal.HOSTILE),
        ("x.zip", b"PK\x03\x04 broken", Refusal.CORRUPT),
        ("x.tar", b"no tar at all", Refusal.CORRUPT),
        ("x.mbox", b"no mail", Refusal.CORRUPT),
        ("x.zip", zipped({"p.blend": b"x"}), Refusal.NO_TEXT),
    ],
)
def test_what_cannot_be_unpacked_says_why(name: str, content: bytes, reason: Refusal) -> None:
    with pytest.raises(SourceRefusedError) as refused:
        opened(name, content)
    assert refused.value.reason is reason


def test_the_number_and_size_of_members_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_MEMBERS", 3)
    with pytest.raises(SourceRefusedError, match="more than 3 members") as refused:
        opened("x.zip", zipped({f"{n}.txt": b"x" for n in range(4)}))
    assert refused.value.reason is Refusal.TOO_LARGE
    monkeypatch.setattr(module, "MAX_MEMBERS", 5_000)
    monkeypatch.setattr(module, "MAX_UNPACKED", 10)
    with pytest.raises(SourceRefusedError, match="inflate") as refused:
        opened("x.zip", zipped({"a.txt": b"123456", "b.txt": b"123456"}))
    assert refused.value.reason is Refusal.TOO_LARGE


MESSAGE = b"From %s Mon Jan  1 10:00:00 2024\nFrom: a@example.org\n%sSubject: S\n\n%s\n\n"


def test_messages_of_a_mailbox_keep_their_names() -> None:
    first = MESSAGE % (b"a@example.org", b"Message-ID: <1@example.org>\n", b"hi\n>From me to you")
    second = MESSAGE % (b"b@example.org", b"Message-ID: <2@example.org>\n", b"ho")
    names = [name for name, _ in opened("m.mbox", first + second).members]
    assert names == ["m.mbox/1@example.org.eml", "m.mbox/2@example.org.eml"]
    assert opened("m.mbox", second).members[0][0] == names[1]
    assert b"\nFrom me to you" in opened("m.mbox", first).members[0][1]


def test_the_sandbox_unpacks_and_a_broken_archive_spares_the_others() -> None:
    with Sandbox(n_workers=1) as sandbox:
        sources = [
            Source("a.zip", lambda: zipped({"x.txt": b"X", "y.blend": b"?"}), ("hr",)),
            Source("b.zip", lambda: b"PK\x03\x04 broken"),
            Source("c.txt", lambda: b"C"),
        ]
        passed: list[str] = []
        each = list(members(sandbox, sources, passed.append))
        assert [source.name for source in each] == ["a.zip/x.txt", "b.zip", "c.txt"]
        assert (each[0].read(), each[0].tags, passed) == (b"X", ("hr",), ["a.zip/y.blend"])
        with pytest.raises(SourceRefusedError):
            each[1].read()
        stored = ["a.zip/x.txt", "a.zip/gone.txt", "b.zip/kept.txt", "c.txt"]
        assert kept_names(sandbox, sources, stored) == {"a.zip/x.txt", "b.zip/kept.txt"}
