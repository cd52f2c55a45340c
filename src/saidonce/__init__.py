"""saidonce: a knowledge base for RAG that says everything once and loses nothing."""

__version__ = "0.1.0"
