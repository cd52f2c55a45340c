"""Ask a reranker as LightRAG does: by the functions behind RERANK_BINDING=jina and cohere. Reads and prints JSON."""

import asyncio
import json
import sys

from lightrag.rerank import cohere_rerank, jina_rerank

asked = json.load(sys.stdin)
words = {"query": asked["query"], "documents": asked["documents"], "api_key": asked["key"], "model": "saidonce"}


async def ask() -> list[list[dict[str, float]]]:
    """Ask both."""
    return [
        await jina_rerank(**words, base_url=f"{asked['url']}/v1/rerank"),
        await cohere_rerank(**words, base_url=f"{asked['url']}/v2/rerank"),
        await cohere_rerank(**words, base_url=f"{asked['url']}/v2/rerank", enable_chunking=True),
    ]


answers = [[[r["index"], r["relevance_score"]] for r in answer] for answer in asyncio.run(ask())]
print(json.dumps(answers))
