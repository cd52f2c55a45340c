"""What the login may do by which the application uses its database."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import psycopg

from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import LOGIN
from saidonce.adapters.postgres.replica import POSITION

_RIGHTS = """
    select rolname, array_remove(array[case when rolsuper then 'superuser' end, case when rolbypassrls then 'bypassrls'
        end, case when rolcreaterole then 'createrole' end, case when rolreplication then 'replication' end], null)
    from pg_roles where rolname = %s
"""
_TIMEOUT_S = 10
_POLL_S = 0.05


def login_rights(database_url: str, data_dir: Path) -> tuple[bool, str]:
    """Return whether the login is without an administrator's rights, and say why.

    Args:
        database_url: empty for the embedded database.
        data_dir: folder of the embedded database; nothing is made in it.
    """
    if not database_url and not ((data_dir / "postgres").is_dir() or (data_dir / "home").is_file()):
        return False, "there is no database yet; the first command that uses it creates it, and its login"
    with contextlib.ExitStack() as stack:
        url, login = database_url, None
        if not url:
            server = EmbeddedServer(data_dir)
            stack.callback(server.close)
            url, login = server.url, LOGIN
        try:
            connection = stack.enter_context(psycopg.connect(url, connect_timeout=_TIMEOUT_S))
            row = connection.execute(_RIGHTS, [login or connection.info.user]).fetchone()
        except psycopg.Error as failed:
            return False, f"the database does not respond ({type(failed).__name__})"
    if row is None:
        return False, f"the login {login} does not exist yet; the next command that uses the base creates it"
    if row[1]:
        return (
            False,
            f"the login {row[0]} has the rights {', '.join(row[1])}; use a login that only owns the database",
        )
    return True, f"the login {row[0]} may only act as an organisation, bound by row-level security"


def replica_check(database_url: str, replica_url: str) -> tuple[bool, str]:
    """Return whether a streaming replica follows the database, and its delay."""
    try:
        with (
            psycopg.connect(database_url, autocommit=True, connect_timeout=_TIMEOUT_S) as database,
            psycopg.connect(replica_url, autocommit=True, connect_timeout=_TIMEOUT_S) as replica,
        ):
            begun = time.monotonic()
            ((identity, _, written),) = database.execute(POSITION).fetchall()
            while (waited_s := time.monotonic() - begun) < _TIMEOUT_S:
                ((copy_of, is_copy, replayed),) = replica.execute(POSITION).fetchall()
                if not is_copy or copy_of != identity:
                    return False, "replica_url is not a streaming replica of this database; pages do not use it"
                if (replayed or 0) >= written:
                    return True, f"writes arrive at the replica within {waited_s:.1f} s"
                time.sleep(_POLL_S)
    except psycopg.Error as failed:
        return False, f"the replica does not respond ({type(failed).__name__}); pages read the primary database"
    return False, f"the replica is more than {_TIMEOUT_S} s behind"
