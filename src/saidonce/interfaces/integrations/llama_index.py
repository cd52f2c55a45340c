"""For LlamaIndex: a node postprocessor, and a retriever of packed passages; needs the extra `llama-index`."""

from __future__ import annotations

from typing import Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, TextNode

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.interfaces.integrations.packed import PackedText, packed_texts
from saidonce.interfaces.integrations.texts import ALSO_IN, THRESHOLD, dedup_texts
from saidonce.kb.packed_context import DEFAULT_TOKENS


class SaidOncePostprocessor(BaseNodePostprocessor):
    """Removes what a higher node says already; never the order, and never what states another fact.

    Pass more nodes than needed: places that repeats leave free are filled from below. A kept
    node's metadata lists its twins under "also_in", in ranked order, hidden from models.

    Attributes:
        k: maximum number of nodes; all by default.
        threshold: similarity from which a lower node repeats a higher one.
        embedder: any `saidonce.foundation.ports.Embedder`; the built-in model by default.
    """

    k: int | None = None
    threshold: float = THRESHOLD
    embedder: Any = None

    @classmethod
    def class_name(cls) -> str:
        """Return the name for LlamaIndex."""
        return "SaidOncePostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        del query_bundle
        texts = [one.node.get_content(metadata_mode=MetadataMode.NONE) for one in nodes]
        result = dedup_texts(texts, self.embedder, k=self.k, threshold=self.threshold)
        sources = [{"id": one.node.node_id, "metadata": one.node.metadata} for one in nodes]
        return [_with_twins(nodes[place], result.also_in(place, sources)) for place in result.kept]


class SaidOnceRetriever(BaseRetriever):
    """Gives what a knowledge base holds on a question: within a budget, nothing twice, every source named.

    A node is a passage with what varies it under it. Its metadata, hidden from models, say where it stands,
    where it is stated again ("also_in"), and what varies it ("variants"). Where nothing in the base answers,
    there are none.
    """

    def __init__(self, base: KnowledgeBase, n_tokens: int = DEFAULT_TOKENS, collection: str | None = None) -> None:
        """Store the options.

        Args:
            base: an open knowledge base.
            n_tokens: budget of all nodes together.
            collection: only this one; all by default.
        """
        self._base = base
        self._n_tokens = n_tokens
        self._collection = collection
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        packed = packed_texts(self._base, query_bundle.query_str, self._n_tokens, self._collection)
        return [NodeWithScore(node=_node(each), score=None) for each in packed]


def _node(packed: PackedText) -> TextNode:
    hidden = sorted(packed.metadata)
    return TextNode(
        id_=packed.id,
        text=packed.text,
        metadata=packed.metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )


def _with_twins(one: NodeWithScore, also_in: list[dict[str, Any]]) -> NodeWithScore:
    if not also_in:
        return one
    node: BaseNode = one.node.model_copy(
        update={
            "metadata": {**one.node.metadata, ALSO_IN: also_in},
            "excluded_llm_metadata_keys": [*one.node.excluded_llm_metadata_keys, ALSO_IN],
            "excluded_embed_metadata_keys": [*one.node.excluded_embed_metadata_keys, ALSO_IN],
        }
    )
    return NodeWithScore(node=node, score=one.score)
