"""Stock clients from the registries against a server: none of them knows of saidonce but an address and a key."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from serving import AGAIN, DOCUMENTS, KEPT, QUERY, At, check, serving

cohere = pytest.importorskip("cohere", reason="make integrations installs it")


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[At]:
    with serving(tmp_path_factory.mktemp("served")) as place:
        yield place


def test_cohere_version_1(at: At) -> None:
    client = cohere.Client(api_key=at.key, base_url=at.url)
    answer = client.rerank(query=QUERY, documents=DOCUMENTS, model="rerank-v3.5", top_n=4, return_documents=True)
    check([r.index for r in answer.results], [r.relevance_score for r in answer.results])
    assert answer.results[3].document.text == AGAIN
    assert answer.meta.api_version.version == "1"
    assert answer.results[3].also_in == 1  # what their shape does not have is carried along


def test_cohere_version_2(at: At) -> None:
    client = cohere.ClientV2(api_key=at.key, base_url=at.url)
    answer = client.rerank(query=QUERY, documents=DOCUMENTS, model="rerank-v3.5", max_tokens_per_doc=500)
    check([r.index for r in answer.results], [r.relevance_score for r in answer.results])
    assert answer.conflicts[0]["facts"][0]["kind"] == "number"


def test_cohere_shows_what_is_wrong(at: At) -> None:
    with pytest.raises(cohere.UnprocessableEntityError, match="no documents"):
        cohere.ClientV2(api_key=at.key, base_url=at.url).rerank(query=QUERY, documents=[], model="m")
    with pytest.raises(cohere.UnauthorizedError, match="key"):
        cohere.ClientV2(api_key="wrong", base_url=at.url).rerank(query=QUERY, documents=[KEPT], model="m")


def test_langchain_cohere(at: At) -> None:
    from langchain_cohere import CohereRerank
    from langchain_core.documents import Document

    reranker = CohereRerank(
        client=cohere.ClientV2(api_key=at.key, base_url=at.url), cohere_api_key=at.key, model="any", top_n=4
    )
    documents = [Document(page_content=text, metadata={"place": n}) for n, text in enumerate(DOCUMENTS)]
    results = reranker.compress_documents(documents, QUERY)
    check([d.metadata["place"] for d in results], [d.metadata["relevance_score"] for d in results])


def test_llama_index_cohere_and_jina(at: At) -> None:
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.postprocessor.cohere_rerank import CohereRerank
    from llama_index.postprocessor.jinaai_rerank import JinaRerank

    nodes = [NodeWithScore(node=TextNode(id_=str(n), text=text), score=0.5) for n, text in enumerate(DOCUMENTS)]
    for reranker in (
        CohereRerank(api_key=at.key, base_url=at.url, top_n=4),
        JinaRerank(api_key=at.key, base_url=f"{at.url}/v1", top_n=4),
    ):
        results = reranker.postprocess_nodes(nodes, query_str=QUERY)
        check([int(each.node.node_id) for each in results], [each.score or 0.0 for each in results])


def test_llama_index_jina_shows_what_is_wrong(at: At) -> None:
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.postprocessor.jinaai_rerank import JinaRerank

    with pytest.raises(RuntimeError, match="key"):
        JinaRerank(api_key="wrong", base_url=f"{at.url}/v1").postprocess_nodes(
            [NodeWithScore(node=TextNode(text=KEPT))], query_str=QUERY
        )


def test_haystack_cohere(at: At) -> None:
    from haystack import Document
    from haystack.utils import Secret
    from haystack_integrations.components.rankers.cohere import CohereRanker

    ranker = CohereRanker(api_key=Secret.from_token(at.key), api_base_url=at.url, top_k=4)
    documents = [Document(content=text, meta={"place": n}) for n, text in enumerate(DOCUMENTS)]
    results = ranker.run(QUERY, documents)["documents"]
    check([d.meta["place"] for d in results], [d.score for d in results])
