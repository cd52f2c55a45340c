"""Room: in which languages of the base a question may be asked, by its small words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from saidonce.foundation import text
from saidonce.foundation.stop_words import stop_words

_LIST = "question_"


def asked_languages(query: str, known: Collection[str]) -> tuple[str, ...]:
    """Return the languages whose words of asking and of grammar a query has most of, sorted.

    None where English has as many, or where no other language of the base has any: "is there a lift" is read as it
    was. Several where they have equally many ("como", "quando").
    """
    words = text.words(query)
    counts = {name: sum(word in listed for word in words) for name, listed in stop_words().items() if _is_of(name)}
    most = max(counts.values(), default=0)
    if most <= sum(word in stop_words()["search"] for word in words):
        return ()
    asked = (name.removeprefix(_LIST) for name, count in counts.items() if count == most)
    return tuple(sorted(language for language in asked if language in known))


def content_words(query: str, languages: Sequence[str]) -> list[str]:
    """Return the words of a query without those of asking and of grammar in all of some languages; all if none is left.

    Args:
        languages: as `asked_languages` returns them; others have no such words.
    """
    words = text.search_words(query)
    lists = [listed for language in languages if (listed := stop_words().get(f"{_LIST}{language}"))]
    small = frozenset.intersection(*lists) if lists else frozenset()
    return [word for word in words if word not in small] or words


def _is_of(name: str) -> bool:
    return name.startswith(_LIST)
