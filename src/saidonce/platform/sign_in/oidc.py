"""OpenID Connect: the authorization-code flow with PKCE, state and nonce, and a validated ID token.

Source: OpenID Connect Core 1.0 (3.1), Discovery 1.0, RFC 7636 (PKCE), RFC 9207 (issuer in the answer).
"""

from __future__ import annotations

import hmac
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from authlib.common.security import generate_token
from authlib.integrations.httpx_client import OAuth2Client
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from saidonce.errors import AccessError, SettingsError
from saidonce.foundation.http import HttpClient, NoReplyError, ReplyTooLargeError

SCOPE = "openid email profile"
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA"]
"""Asymmetric signatures only; never `none`, never one by a shared secret."""

LEEWAY_S = 60
BEGUN_FOR_S = 600
"""Time limit for signing in at the issuer."""

LONGEST_TEXT = 2_048
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_NEEDED = "a sign-in that the issuer confirms"


@dataclass(frozen=True, slots=True)
class IssuerIdentity:
    """An identity vouched for by the issuer.

    Attributes:
        subject: "issuer subject"; permanent.
        email: empty unless verified by the issuer.
    """

    subject: str
    email: str
    name: str


class OidcProvider:
    """Client of the issuer. The issuer's description and keys are fetched on first use.

    Args:
        issuer: URL, exactly as the issuer writes it.
        client_id: id of this server at the issuer.
        client_secret: empty for a public client.
        redirect_uri: return address for people; the server passes its parameters to `finish`.
        timeout_s: for each request to the issuer.

    Raises:
        SettingsError: the issuer or the client is malformed.
    """

    def __init__(
        self, issuer: str, client_id: str, client_secret: str, redirect_uri: str, timeout_s: float = 10.0
    ) -> None:
        if not _is_safe(issuer):
            raise SettingsError("oidc_issuer", issuer, "an https URL (http on this machine only)")
        if not client_id:
            raise SettingsError("oidc_client_id", client_id, "the id of this server at the issuer")
        self._issuer = issuer
        self._client_id = client_id
        self._client_secret = client_secret
        self._redirect_uri = redirect_uri
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._about: Mapping[str, Any] = {}
        self._keys: KeySet | None = None

    def begin(self) -> tuple[str, dict[str, str]]:
        """Begin a sign-in.

        Returns:
            The URL for the browser, and the state for `finish`: secret, bound to this browser, used once.

        Raises:
            AccessError: the issuer cannot be reached.
        """
        verifier, nonce = generate_token(64), generate_token(32)
        with self._client() as client:
            url, state = client.create_authorization_url(
                self._description()["authorization_endpoint"], code_verifier=verifier, nonce=nonce
            )
        begun_at = str(int(time.time()))
        return url, {"state": state, "nonce": nonce, "verifier": verifier, "begun_at": begun_at}

    def finish(self, flow_state: Mapping[str, str], params: Mapping[str, str]) -> IssuerIdentity:
        """Finish a sign-in with the state of `begin` and the browser's parameters.

        Raises:
            AccessError: the sign-in was refused, belongs to another browser, is too old, or cannot be validated.
        """
        state = params.get("state", "")
        if not flow_state.get("state") or not hmac.compare_digest(
            state.encode("utf-8", "replace"), flow_state["state"].encode()
        ):
            raise _refusal("this sign-in was not started in this browser; start again")
        if time.time() - int(flow_state["begun_at"]) > BEGUN_FOR_S:
            raise _refusal("the sign-in took too long; start again")
        if params.get("iss", self._issuer) != self._issuer:
            raise _refusal("the response is from another issuer")
        if error := params.get("error", ""):
            raise _refusal(f"the issuer refused the sign-in ({error[:100]!r})")
        if not params.get("code"):
            raise _refusal("the issuer's response has no code")
        claims = self._claims(self._id_token(params["code"], flow_state["verifier"]), flow_state["nonce"])
        email = claims.get("email")
        is_verified = claims.get("email_verified") is True and isinstance(email, str)
        name = claims.get("name")
        return IssuerIdentity(
            subject=f"{self._issuer} {claims['sub']}",
            email=str(email)[:LONGEST_TEXT] if is_verified else "",
            name=name[:LONGEST_TEXT] if isinstance(name, str) else "",
        )

    def _client(self) -> OAuth2Client:
        return OAuth2Client(
            client_id=self._client_id, client_secret=self._client_secret or None, scope=SCOPE,
            token_endpoint_auth_method="client_secret_basic" if self._client_secret else "none",
            redirect_uri=self._redirect_uri, code_challenge_method="S256", timeout=self._timeout_s,
        )  # fmt: skip

    def _id_token(self, code: str, verifier: str) -> str:
        form = {
            "grant_type": "authorization_code", "code": code, "code_verifier": verifier,
            "redirect_uri": self._redirect_uri,
        }  # fmt: skip
        secret: dict[str, Any] = {}
        if self._client_secret:
            secret["auth"] = (self._client_id, self._client_secret)
        else:
            form["client_id"] = self._client_id
        token = self._fetch(self._description()["token_endpoint"], "POST", data=form, **secret)
        id_token = token.get("id_token")
        if not isinstance(id_token, str):
            raise _refusal("the issuer's response has no ID token")
        return id_token

    def _claims(self, id_token: str, nonce: str) -> dict[str, Any]:
        """Return the claims of an ID token after validating signature, issuer, audience, times and nonce."""
        try:
            try:
                claims = jwt.decode(id_token, self._key_set(), algorithms=ALGORITHMS).claims
            except (JoseError, ValueError):
                # The issuer may have changed its keys since they were fetched.
                claims = jwt.decode(id_token, self._key_set(fresh=True), algorithms=ALGORITHMS).claims
            jwt.JWTClaimsRegistry(
                now=int(time.time()),
                leeway=LEEWAY_S,
                iss={"essential": True, "value": self._issuer},
                sub={"essential": True},
                aud={"essential": True, "value": self._client_id},
                exp={"essential": True},
                iat={"essential": True},
                nonce={"essential": True, "value": nonce},
            ).validate(claims)
        except (JoseError, ValueError) as wrong:
            raise _refusal(f"the ID token is invalid ({type(wrong).__name__})") from None
        audience = claims["aud"]
        if isinstance(audience, list) and len(audience) > 1 and claims.get("azp") != self._client_id:
            raise _refusal("the ID token has several audiences and was not issued to this server")
        if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
            raise _refusal("the ID token has no valid subject")
        return claims

    def _description(self) -> Mapping[str, Any]:
        with self._lock:
            if not self._about:
                description = self._fetch(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
                if description.get("issuer") != self._issuer:
                    other = str(description.get("issuer"))[:200]
                    raise _refusal(f"the issuer identifies itself as {other!r}, not {self._issuer!r}")
                for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                    if not isinstance(description.get(name), str) or not _is_safe(description[name]):
                        raise _refusal(f"the issuer's description has no safe {name}")
                self._about = description
            return self._about

    def _key_set(self, fresh: bool = False) -> KeySet:
        where = self._description()["jwks_uri"]
        with self._lock:
            if self._keys is None or fresh:
                key_set = self._fetch(where)
                try:
                    self._keys = KeySet.import_key_set({"keys": key_set["keys"]})
                except (JoseError, ValueError, KeyError, TypeError):
                    raise _refusal("the issuer's keys are malformed") from None
            return self._keys

    def _fetch(self, url: str, method: str = "GET", **request: Any) -> dict[str, Any]:
        """Ask the issuer: in time, a bounded answer, and nothing followed to where a secret would go along."""
        try:
            reply = HttpClient(self._timeout_s, {"Accept": "application/json"}).ask(method, url, **request)
        except NoReplyError as failed:
            raise _refusal(f"the issuer is unreachable ({failed.reason})") from None
        except ReplyTooLargeError:
            raise _refusal("the issuer's response is too large") from None
        if method == "POST" and reply.status in (400, 401, 403):
            raise _refusal(f"the issuer rejected the code ({str(reply.fields.get('error', reply.status))[:100]!r})")
        if not 200 <= reply.status < 300 or reply.is_packed:
            raise _refusal(f"the issuer replied with an error (status {reply.status})")
        if not reply.fields:
            raise _refusal("the issuer's response is not a JSON object")
        return reply.fields


def _refusal(reason: str) -> AccessError:
    return AccessError(_NEEDED, reason)


def _is_safe(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    )
