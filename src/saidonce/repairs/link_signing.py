"""How links are signed: by HMAC-SHA-256. Those that were signed by HMAC-SHA-1 before are read on; none ends by that."""

from __future__ import annotations

import hashlib

from itsdangerous import URLSafeSerializer


def link_signer(secret: str, salt: str) -> URLSafeSerializer:
    """Return what signs and reads links of one kind; each kind has a salt of its own, so that none opens another's."""
    before = {"digest_method": hashlib.sha1}
    return URLSafeSerializer(
        secret, salt=salt, signer_kwargs={"digest_method": hashlib.sha256}, fallback_signers=[before]
    )
