"""Ask a reranker as Open WebUI does with RAG_RERANKING_ENGINE=external. Reads and prints JSON.

It takes scores in the order of the documents and sorts by them itself, equal scores in the order of the documents.
"""

import json
import logging
import sys
from types import ModuleType

# It tells a reranker who asks if it is set to, which needs most of Open WebUI; it is not set to.
unused = ModuleType("open_webui.utils.headers")
unused.include_user_info_headers = None  # type: ignore[attr-defined]
sys.modules[unused.__name__] = unused

from open_webui.retrieval.models.external import ExternalReranker  # noqa: E402

logging.disable()
asked = json.load(sys.stdin)
reranker = ExternalReranker(asked["key"], f"{asked['url']}/v1/rerank", "saidonce")
scores = reranker.predict([(asked["query"], text) for text in asked["documents"]])
assert scores is not None
print(json.dumps([sorted(([place, score] for place, score in enumerate(scores)), key=lambda pair: -pair[1])]))
