"""Single sign-on against a real issuer on this machine: what is right passes, whatever is forged does not."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from responding import respond
from saidonce.errors import AccessError, SettingsError
from saidonce.platform.sign_in import open_provider
from saidonce.platform.sign_in.oidc import OidcProvider

CLIENT, SECRET = "saidonce", "a client's secret"
BACK = "https://kb.example.com/signin/back"


KEY = RSAKey.generate_key(2048, {"kid": "one"})


@dataclass
class Issuer:
    """A small OpenID provider; `spoil` alters the claims, `sign` the way in which they are signed."""

    url: str = ""
    key: RSAKey = field(default_factory=lambda: KEY)
    published: list[RSAKey] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)
    sign: Callable[[dict[str, Any]], str] | None = None
    description: dict[str, Any] = field(default_factory=dict)
    n_asked_keys: int = 0
    seen: list[dict[str, str]] = field(default_factory=list)

    def about(self) -> dict[str, Any]:
        return {
            "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token", "jwks_uri": f"{self.url}/keys", **self.description,
        }  # fmt: skip

    def authorize(self, asked: dict[str, str]) -> str:
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?code={code}&state={asked['state']}"

    def token(self, given: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        self.seen.append(given)
        wanted = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        asked = self.codes.pop(given.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(given.get("code_verifier", "").encode()).digest())
        if authorization != wanted:
            return 401, {"error": "invalid_client"}
        if (
            asked is None
            or asked["code_challenge_method"] != "S256"
            or challenge.rstrip(b"=").decode() != asked["code_challenge"]
            or given.get("redirect_uri") != asked["redirect_uri"]
        ):
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": CLIENT, "sub": "42", "exp": now + 300, "iat": now, "nonce": asked["nonce"],
            "email": "rita@example.com", "email_verified": True, "name": "Rita", **self.claims,
        }  # fmt: skip
        claims = {name: value for name, value in claims.items() if value is not None}
        sign = self.sign or (lambda c: jwt.encode({"alg": "RS256", "kid": "one"}, c, self.key))
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": sign(claims)}


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    found = Issuer()
    found.published = [found.key]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            if url.path == "/.well-known/openid-configuration":
                self.answer(200, found.about())
            elif url.path == "/keys":
                found.n_asked_keys += 1
                self.answer(200, {"keys": [k.as_dict(private=False) for k in found.published]})
            elif url.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", found.authorize(dict(parse_qsl(url.query))))
                self.end_headers()
            else:
                self.answer(404, {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            given = {name: values[0] for name, values in parse_qs(body).items()}
            self.answer(*found.token(given, self.headers.get("Authorization", "")))

        def answer(self, status: int, content: dict[str, Any]) -> None:
            respond(self, status, json.dumps(content).encode(), Content_Type="application/json")

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    found.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture
def provider(issuer: Issuer) -> OidcProvider:
    return OidcProvider(issuer.url, CLIENT, SECRET, BACK, 5.0)


def came_back(url: str) -> dict[str, str]:
    """What the browser brings after the person has signed in."""
    answer = httpx.get(url)
    assert answer.status_code == 302
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))


def test_a_sign_in_gives_subject_verified_address_and_name(issuer: Issuer, provider: OidcProvider) -> None:
    url, kept = provider.begin()
    asked = dict(parse_qsl(urlsplit(url).query))
    assert (asked["response_type"], asked["client_id"], asked["redirect_uri"]) == ("code", CLIENT, BACK)
    assert set(asked["scope"].split()) == {"openid", "email", "profile"}
    assert kept["verifier"] not in url
    assert SECRET not in url
    identity = provider.finish(kept, came_back(url))
    assert (identity.subject, identity.email, identity.name) == (f"{issuer.url} 42", "rita@example.com", "Rita")


def test_every_begin_is_another_one(provider: OidcProvider) -> None:
    begun = [provider.begin()[1] for _ in range(3)]
    for part in ("state", "nonce", "verifier"):
        assert len({b[part] for b in begun}) == 3
        assert all(len(b[part]) >= 30 for b in begun)


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_address_that_is_not_verified_is_not_given(issuer: Issuer, provider: OidcProvider, verified: Any) -> None:
    issuer.claims = {"email_verified": verified}
    url, kept = provider.begin()
    assert provider.finish(kept, came_back(url)).email == ""


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://elsewhere.example.com"},
        {"aud": "another"},
        {"aud": ["another", "third"]},
        {"aud": [CLIENT, "another"]},
        {"aud": [CLIENT, "another"], "azp": "another"},
        {"exp": 1_000_000_000},
        {"exp": None},
        {"iat": None},
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"sub": None},
        {"sub": ""},
        {"sub": 42},
        {"nbf": 9_000_000_000},
    ],
    ids=repr,
)
def test_claims_that_are_not_right_are_refused(issuer: Issuer, provider: OidcProvider, claims: dict[str, Any]) -> None:
    issuer.claims = claims
    url, kept = provider.begin()
    with pytest.raises(AccessError) as refused:
        provider.finish(kept, came_back(url))
    assert not refused.value.is_known


def unsigned(claims: dict[str, Any]) -> str:
    parts = [json.dumps(part).encode() for part in ({"alg": "none"}, claims)]
    return ".".join(base64.urlsafe_b64encode(p).rstrip(b"=").decode() for p in parts) + "."


def confused(claims: dict[str, Any], public: bytes) -> str:
    """Sign with the issuer's public key as if it were a shared secret."""
    head, _, _ = jwt.encode({"alg": "HS256", "kid": "one"}, claims, OctKey.generate_key(256)).rpartition(".")
    signed = hmac.new(public, head.encode(), hashlib.sha256).digest()
    return f"{head}.{base64.urlsafe_b64encode(signed).rstrip(b'=').decode()}"


def test_signatures_that_are_not_the_issuers_are_refused(issuer: Issuer, provider: OidcProvider) -> None:
    stranger = RSAKey.generate_key(2048, {"kid": "one"})
    public = issuer.key.as_pem(private=False)
    shared = OctKey.import_key(SECRET + " made long enough for a key")
    for sign in (
        lambda c: jwt.encode({"alg": "RS256", "kid": "one"}, c, stranger),
        lambda c: confused(c, public),
        lambda c: jwt.encode({"alg": "HS256"}, c, shared, algorithms=["HS256"]),
        unsigned,
        lambda c: "rubbish",
    ):
        issuer.sign = sign
        url, kept = provider.begin()
        with pytest.raises(AccessError):
            provider.finish(kept, came_back(url))


def test_new_keys_of_the_issuer_are_fetched_when_they_are_needed(issuer: Issuer, provider: OidcProvider) -> None:
    for _ in range(2):
        url, kept = provider.begin()
        provider.finish(kept, came_back(url))
    assert issuer.n_asked_keys == 1
    other = RSAKey.generate_key(2048, {"kid": "two"})
    issuer.published = [other]
    issuer.sign = lambda c: jwt.encode({"alg": "RS256", "kid": "two"}, c, other)
    url, kept = provider.begin()
    assert provider.finish(kept, came_back(url)).name == "Rita"
    assert issuer.n_asked_keys == 2


def test_answers_that_belong_to_no_sign_in_of_this_browser_are_refused(issuer: Issuer, provider: OidcProvider) -> None:
    url, kept = provider.begin()
    other_url, other_kept = provider.begin()
    params = came_back(url)
    for wrong_kept, wrong_params in (
        (other_kept, params),
        ({}, params),
        (kept, {**params, "state": ""}),
        (kept, {k: v for k, v in params.items() if k != "state"}),
        (kept, {**params, "state": "ü"}),
        (kept, {**params, "iss": "https://elsewhere.example.com"}),
        (kept, {"state": params["state"]}),
        (kept, {"state": params["state"], "error": "access_denied"}),
        ({**kept, "begun_at": str(int(time.time()) - 601)}, params),
        ({**kept, "verifier": other_kept["verifier"]}, params),
    ):
        with pytest.raises(AccessError):
            provider.finish(wrong_kept, wrong_params)
    assert all(seen["code_verifier"] == other_kept["verifier"] for seen in issuer.seen)
    good = came_back(other_url)
    assert provider.finish(other_kept, {**good, "iss": issuer.url}).name == "Rita"
    with pytest.raises(AccessError, match="invalid_grant"):  # A code is good for once.
        provider.finish(other_kept, good)


def test_a_wrong_client_secret_is_told_without_it(issuer: Issuer) -> None:
    provider = OidcProvider(issuer.url, CLIENT, "not the secret", BACK)
    url, kept = provider.begin()
    with pytest.raises(AccessError, match="invalid_client") as refused:
        provider.finish(kept, came_back(url))
    assert "not the secret" not in str(refused.value)


@pytest.mark.parametrize(
    "description",
    [
        {"issuer": "https://elsewhere.example.com"},
        {"token_endpoint": "http://elsewhere.example.com/token"},
        {"jwks_uri": None},
        {"authorization_endpoint": "javascript:alert(1)"},
    ],
    ids=repr,
)
def test_an_issuer_that_describes_itself_wrongly_is_refused(
    issuer: Issuer, provider: OidcProvider, description: dict[str, Any]
) -> None:
    issuer.description = description
    with pytest.raises(AccessError):
        provider.begin()
    issuer.description = {}
    provider.begin()  # What was refused is not remembered.


def test_an_issuer_that_does_not_answer_is_refused() -> None:
    with pytest.raises(AccessError, match="is unreachable"):
        OidcProvider("http://127.0.0.1:9", CLIENT, SECRET, BACK, 1.0).begin()


@pytest.mark.parametrize("url", ["", "login.example.com", "http://login.example.com", "ftp://x", "https://[::1"])
def test_issuers_that_are_not_safe_are_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="oidc_issuer"):
        OidcProvider(url, CLIENT, SECRET, BACK)


def test_a_client_is_needed() -> None:
    with pytest.raises(SettingsError, match="oidc_client_id"):
        OidcProvider("https://login.example.com", "", SECRET, BACK)


def test_without_the_extra_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_provider("https://login.example.com", CLIENT, SECRET, BACK) is not None
    monkeypatch.delitem(sys.modules, "saidonce.platform.sign_in.oidc")
    monkeypatch.setitem(sys.modules, "authlib.common.security", None)
    with pytest.raises(SettingsError, match=r"saidonce\[oidc\]"):
        open_provider("https://login.example.com", CLIENT, SECRET, BACK)
