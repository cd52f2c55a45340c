from __future__ import annotations

import pytest

from saidonce.adapters.embed import ALLOWED, open_embedder
from saidonce.errors import SettingsError


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("minilm", "MiniLM"),
        ("openai:text-embedding-3-small", "OpenAICompatible"),
        ("openai:org/model:tag", "OpenAICompatible"),
        ("sentence-transformers:all-mpnet-base-v2", "SentenceTransformers"),
        ("model2vec:/models/static", "Model2Vec"),
    ],
)
def test_a_name_opens_its_adapter_without_loading_anything(name: str, kind: str) -> None:
    assert type(open_embedder(name, url="http://127.0.0.1:9/v1", key="k")).__name__ == kind


@pytest.mark.parametrize("name", ["", "minilm:", "MiniLM", "openai", "openai:", "hashed", "model2vec:", "cohere:x"])
def test_other_names_are_refused_with_what_is_allowed(name: str) -> None:
    with pytest.raises(SettingsError, match="minilm, multilingual, openai:MODEL") as refused:
        open_embedder(name)
    assert (refused.value.key, refused.value.value, refused.value.allowed) == ("embedder", name, ALLOWED)
