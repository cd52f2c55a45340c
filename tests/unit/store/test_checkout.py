"""What the pool says of a connection that was interrupted in a statement is nothing that anybody has to know."""

from __future__ import annotations

import logging

import pytest

from saidonce.adapters.postgres import checkout


def test_a_discarded_connection_is_not_logged_and_every_other_trouble_of_the_pool_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool = logging.getLogger("psycopg.pool")
    assert any(isinstance(each, checkout._WithoutDiscarded) for each in pool.filters)
    pool.warning("discarding closed connection: %s", object())
    pool.warning("error connecting in %r: %s", "pool-1", "refused")
    assert [record.getMessage() for record in caplog.records] == ["error connecting in 'pool-1': refused"]
