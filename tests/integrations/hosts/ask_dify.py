"""Ask a reranker as Dify's OpenAI-compatible model provider does. Reads and prints JSON.

Its class stretches the scores: the highest is 1, the lowest 0.
"""

import json
import os
import sys

from dify_plugin.interfaces.model.openai_compatible.rerank import OAICompatRerankModel

asked = json.load(sys.stdin)
model = OAICompatRerankModel([])
place = {"endpoint_url": f"{asked['url']}/v1", "api_key": asked["key"]}
model.validate_credentials("saidonce", place)
answer = model.invoke("saidonce", place, asked["query"], asked["documents"], top_n=len(asked["documents"]))
assert [document.text for document in answer.docs] == [asked["documents"][document.index] for document in answer.docs]
print(json.dumps([[[document.index, document.score] for document in answer.docs]]), flush=True)
os._exit(0)  # gevent, which it brings, complains at the end of an interpreter
