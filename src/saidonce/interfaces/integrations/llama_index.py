"""For LlamaIndex: repeats removed, packed passages, and the gate at ingestion; needs the extra `llama-index`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeWithScore,
    QueryBundle,
    TextNode,
    TransformComponent,
)
from pydantic import ConfigDict, PrivateAttr, model_validator

from saidonce.app.knowledge_base import GATE_NAME, KnowledgeBase
from saidonce.interfaces.integrations.gated import GateAnswer, gate_answers, named_submission
from saidonce.interfaces.integrations.llama_index_store import SaidOnceEmbedding, SaidOnceNodeStore
from saidonce.interfaces.integrations.packed import PackedText, packed_texts
from saidonce.interfaces.integrations.texts import ALSO_IN, THRESHOLD, Vectors, check_options, dedup_texts, one_of_both
from saidonce.kb.packed_context import DEFAULT_TOKENS

__all__ = [
    "SaidOnceEmbedding",
    "SaidOnceGateTransform",
    "SaidOnceNodeRetriever",
    "SaidOnceNodeStore",
    "SaidOncePostprocessor",
]


class SaidOncePostprocessor(BaseNodePostprocessor):
    """Removes what a higher node says already; never the order, and never what states another fact.

    Pass more nodes than needed: places that repeats leave free are filled from below. A kept
    node's metadata lists its twins under "also_in", in ranked order, hidden from models.

    Attributes:
        k: maximum number of nodes; all by default.
        top_n: the same, as other postprocessors name it.
        threshold: similarity from which a lower node repeats a higher one, checked at once. It is that of one model:
            measure it anew for embeddings of another.
        embedder: a LlamaIndex embedding model, or any `saidonce.foundation.ports.Embedder`; the built-in model by
            default.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    k: int | None = None
    top_n: int | None = None
    threshold: float = THRESHOLD
    embedder: Any = None

    @model_validator(mode="after")
    def _check(self) -> SaidOncePostprocessor:
        check_options(one_of_both(self.k, self.top_n), self.threshold)
        return self

    @classmethod
    def class_name(cls) -> str:
        """Return the name for LlamaIndex."""
        return "SaidOncePostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        del query_bundle
        texts = [one.node.get_content(metadata_mode=MetadataMode.NONE) for one in nodes]
        k = one_of_both(self.k, self.top_n)
        result = dedup_texts(texts, _vectors(self.embedder), k=k, threshold=self.threshold)
        sources = [{"id": one.node.node_id, "metadata": one.node.metadata} for one in nodes]
        return [_with_repeats(nodes[place], result.also_in(place, sources)) for place in result.kept]


class SaidOnceNodeRetriever(BaseRetriever):
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


class SaidOnceGateTransform(TransformComponent):
    """The gate in an ingestion pipeline: only nodes that say something new go on.

    Each node is checked in its order, also against those before it, and its metadata name the verdict under
    "gate_verdict". The same node in a second run has the same verdict, and goes on again. What does not go on is kept
    in `held_back` of the last run, each node with its state in the metadata ("gate_state": repeat, held or pending).

    Attributes:
        base: an open knowledge base.
        gate: its name.
        fields: names of metadata that are fields of the submission; the rest the gate does not see.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    base: KnowledgeBase
    gate: str = GATE_NAME
    fields: tuple[str, ...] = ()

    _held_back: list[BaseNode] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        """Return the name for LlamaIndex."""
        return "SaidOnceGateTransform"

    @property
    def held_back(self) -> list[BaseNode]:
        """Nodes of the last run that did not go on, in their order."""
        return list(self._held_back)

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """Return copies of the nodes that may be stored, in their order.

        Raises:
            UsageError: a node is empty or too long.
        """
        del kwargs
        things = [
            named_submission(
                node.node_id,
                node.get_content(metadata_mode=MetadataMode.NONE),
                {name: node.metadata[name] for name in self.fields if name in node.metadata},
            )
            for node in nodes
        ]
        answers = gate_answers(self.base, self.gate, things)
        judged = [(answer, _mark(node, answer)) for node, answer in zip(nodes, answers, strict=True)]
        self._held_back = [node for answer, node in judged if not answer.may_create]
        return [node for answer, node in judged if answer.may_create]


def _mark(node: BaseNode, answer: GateAnswer) -> BaseNode:
    marks = {"gate_verdict": answer.verdict, "gate_state": answer.state}
    copy: BaseNode = node.model_copy(
        update={
            "metadata": {**node.metadata, **marks},
            "excluded_llm_metadata_keys": [*node.excluded_llm_metadata_keys, *marks],
            "excluded_embed_metadata_keys": [*node.excluded_embed_metadata_keys, *marks],
        }
    )
    return copy


def _vectors(embedder: Any) -> Vectors | None:
    if isinstance(embedder, BaseEmbedding):
        return lambda texts: embedder.get_text_embedding_batch(list(texts))
    vectors: Vectors | None = embedder
    return vectors


def _node(packed: PackedText) -> TextNode:
    hidden = sorted(packed.metadata)
    return TextNode(
        id_=packed.id,
        text=packed.text,
        metadata=packed.metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )


def _with_repeats(one: NodeWithScore, also_in: list[dict[str, Any]]) -> NodeWithScore:
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
