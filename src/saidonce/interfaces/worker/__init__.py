"""Door: the worker. Jobs wait in PostgreSQL, in the schema `procrastinate`, and each calls one flow."""

from saidonce.interfaces.worker.delivering import Delivering
from saidonce.interfaces.worker.jobs import work
from saidonce.interfaces.worker.queue_schema import prepare
from saidonce.interfaces.worker.residents import Answering
from saidonce.repairs.conversation import once, take_turns

__all__ = ["Answering", "Delivering", "once", "prepare", "take_turns", "work"]
