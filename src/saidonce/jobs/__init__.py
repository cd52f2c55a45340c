"""Door: the worker. Jobs wait in PostgreSQL, in the schema `procrastinate`, and each calls one flow."""

from saidonce.jobs.delivering import Delivering
from saidonce.jobs.queue_schema import prepare
from saidonce.jobs.residents import Answering, once, take_turns
from saidonce.jobs.worker import work

__all__ = ["Answering", "Delivering", "once", "prepare", "take_turns", "work"]
