"""The fence around a process that handles hostile input: privileges, limits, Landlock, namespaces and system calls.

Everything here acts on the process that calls it and cannot be undone. It needs the standard library alone, so that a
child can load it before anything else. Nothing fails where a protection is missing: its `Protection` says why.
"""

from saidonce.foundation.confinement.fence import Bounds, confine
from saidonce.foundation.confinement.protection import NAMES, Protection, read_protections, summary, to_json

__all__ = ["NAMES", "Bounds", "Protection", "confine", "read_protections", "summary", "to_json"]
