"""Files of the equivalence judge: `model.onnx`, `tokenizer.json` and `card.json`; saidonce reads and verifies them."""
