"""The supported format families, built in and of plug-ins; one dict of each.

A plug-in names a `Format` under the group of entry points `saidonce.formats`; its reader runs where all others do, in
the sandbox's child process, without network and without files to write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from types import MappingProxyType, ModuleType

from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.source import NamedBytes
from saidonce.foundation import extras, plugins

GROUP = "saidonce.formats"

ReadSource = Callable[[NamedBytes], DocumentDraft]


@dataclass(frozen=True, slots=True)
class Format:
    """How sources of one format family are recognised and read.

    Attributes:
        extensions: without their dot, in lower case.
        read: reads a source into a draft; an exception refuses the source.
        begins: accepted first bytes of a source; empty accepts any.
    """

    extensions: tuple[str, ...]
    read: ReadSource
    begins: tuple[bytes, ...] = ()


BUILT_IN: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "pdf": ("pdf", "pdf"),
        "docx": ("docx", "docx docm dotx dotm"),
        "pptx": ("pptx", "pptx pptm ppsx ppsm potx potm"),
        "xlsx": ("xlsx", "xlsx xlsm xltx xltm"),
        "xls": ("xls", "xls xlt"),
        "csv": ("delimited", "csv tsv tab"),
        "html": ("html", "html htm xhtml shtml"),
        "md": ("markdown", "md markdown mdown mkd mdx rmd qmd"),
        "image": ("pictures", "png jpg jpeg jpe jfif tif tiff webp gif bmp heic heif avif"),
        "sound": ("recordings", "wav mp3 m4a aac ogg oga opus flac wma aif aiff amr"),
        "video": ("recordings", "mp4 m4v webm mkv mov avi"),
        "subtitles": ("subtitles", "srt vtt sbv ass ssa"),
        "cards": ("cards", "ics ical vcs vcf"),
        "txt": ("plain", "txt text textile"),
        "org": ("org", "org"),
        "wiki": ("wiki", "wiki mediawiki"),
        "log": ("plain", "log"),
        "rst": ("rst", "rst rest"),
        "adoc": ("adoc", "adoc asciidoc asc"),
        "man": ("roff", "man roff troff nroff mdoc"),
        "texinfo": ("texinfo", "texi texinfo txi"),
        "pod": ("pod", "pod"),
        "latex": ("latex", "tex latex ltx"),
        "odf": ("odf", "odt ods odp ott ots otp fodt fods fodp"),
        "epub": ("epub", "epub"),
        "xml": (
            "xml_text",
            "xml xsd xsl xslt dita docbook dbk rss atom svg kml gpx opml plist xlf xliff tei jats nxml page",
        ),
        "yaml": ("records", "yaml yml"),
        "ipynb": ("notebook", "ipynb"),
        "code": (
            "program",
            "py pyi js mjs cjs ts tsx jsx java c h cc cpp cxx hpp cs go rs rb php pl sh bash zsh ps1 sql kt"
            " kts scala swift lua r m toml ini cfg conf properties css scss less proto graphql tf gradle dart ex exs"
            " erl hs clj vb bat make mk cmake dockerfile diff patch vue svelte jl f90 for pas cbl cob groovy nim zig v"
            " sv vhd asm lisp el scm ml fs m4 awk sed tcl nix bib",
        ),
        "po": ("translations", "po pot"),
        "rtf": ("rtf", "rtf"),
        "eml": ("mail", "eml mht mhtml"),
        "msg": ("msg", "msg"),
        "json": ("records", "json geojson jsonc json5 webmanifest"),
        "jsonl": ("records", "jsonl ndjson"),
    }
)
"""Module and extensions of each family; loaded when first needed, because the libraries behind them are large."""

_WITH_ATTACHMENTS = frozenset(("eml", "msg"))

NEEDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "pdf": (extras.PDF, "reading PDF"),
        "docx": (extras.OFFICE, "reading Word documents"),
        "pptx": (extras.OFFICE, "reading PowerPoint presentations"),
        "xlsx": (extras.OFFICE, "reading Excel workbooks"),
        "xls": (extras.OFFICE, "reading Excel workbooks"),
        "msg": (extras.OFFICE, "reading Outlook messages"),
        "rtf": (extras.OFFICE, "reading RTF"),
        "image": (extras.IMAGES, "reading words in pictures"),
        "sound": (extras.AUDIO, "hearing words in recordings"),
        "video": (extras.AUDIO, "hearing words in recordings"),
    }
)
"""Extra of each family that needs one, and what cannot be done without it."""

FORMATS: Mapping[str, str] = MappingProxyType(
    {extension: family for family, (_, names) in BUILT_IN.items() for extension in names.split()}
)
"""Family of each extension that is built in; extensions without their dot, in lower case."""


CONTAINERS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("tar", "tgz", "tbz", "tbz2", "txz"), "tar"),
        **dict.fromkeys(("mbox", "mbx"), "mbox"),
        **{one: one for one in ("zip", "gz", "bz2", "xz")},
    }
)
"""Kind of container of each extension; every member is a source of its own."""

NAMED_ALL_THE_SAME = frozenset(
    (
        "doc dot xlsb ppt pps pot pub vsd vsdx pages numbers key one wpd wps mobi azw azw3 djvu ps eps"
        " 7z rar zst lzma cab"
    ).split()
)
"""Extensions of documents and archives that no parser reads: files of these names are refused with the reason, not
passed over, and those that are something else under such a name, such as a page of the web, are read as that."""


def container_of(name: str) -> str:
    """Return the kind of an archive or a mailbox, by its name; empty for any other name."""
    return CONTAINERS.get(name.rpartition("/")[2].rpartition(".")[2].casefold(), "")


def is_recognised(name: str) -> bool:
    """Return whether a file needs recognition of words, by its name: a picture, a recording or a video."""
    family = FORMATS.get(name.rpartition("/")[2].rpartition(".")[2].casefold(), "")
    return NEEDS.get(family, ("", ""))[0] in (extras.IMAGES, extras.AUDIO)


@cache
def added() -> Mapping[str, Format]:
    """Return the formats of plug-ins by family, ordered by name; loaded once for each process.

    Raises:
        PluginError: one cannot be loaded, is not a `Format`, or has a name or an extension of another one.
    """
    formats: dict[str, Format] = {}
    taken = dict(FORMATS)
    for family, point in plugins.find(GROUP, BUILT_IN).items():
        plugin = plugins.load(point, _why_invalid, Format)
        for extension in plugin.extensions:
            owner = taken.setdefault(extension, family)
            if owner != family:
                raise plugins.refusal(point, f"takes the extension {extension!r}, which belongs to {owner!r}")
        formats[family] = plugin
    return MappingProxyType(formats)


def extensions() -> dict[str, str]:
    """Return the family of each supported extension, those of plug-ins last."""
    return {**FORMATS, **{e: family for family, plugin in added().items() for e in plugin.extensions}}


def reader(family: str, read_attachment: ReadSource) -> ReadSource:
    """Return the reader of a family; the readers of messages pass attachments to `read_attachment`.

    Raises:
        MissingExtraError: the family needs an extra that is not installed.
    """
    if family in added():
        return partial(_read_added, family)
    read: Callable[..., DocumentDraft] = _room(family).read
    return partial(read, read_attachment=read_attachment) if family in _WITH_ATTACHMENTS else read


def load_all() -> None:
    """Import the libraries of all installed families now, rather than on first use."""
    for family in BUILT_IN:
        if family not in NEEDS or extras.is_installed(NEEDS[family][0]):
            _room(family)
    added()


def _room(family: str) -> ModuleType:
    if family in NEEDS:
        extras.need(*NEEDS[family])
    return import_module(f"saidonce.documents.parse.{BUILT_IN[family][0]}")


def _read_added(family: str, source: NamedBytes) -> DocumentDraft:
    draft = added()[family].read(source)
    if not isinstance(draft, DocumentDraft):  # nobody has checked the types of a plug-in
        raise TypeError(f"the format {family!r} gave a {type(draft).__name__}, not a draft")
    return draft


def _why_invalid(plugin: Format) -> str:
    bad = [e for e in plugin.extensions if not e or e != e.casefold() or "." in e]
    if bad or not plugin.extensions:
        return f"needs extensions in lower case and without dots, not {plugin.extensions!r}"
    return "" if callable(plugin.read) else "needs a function that reads a source"
