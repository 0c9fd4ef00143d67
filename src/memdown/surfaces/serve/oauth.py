"""OAuth 2.1 for remote assistants, as the MCP specification asks for: the SDK's server, and a page on which you agree.

Who you are is what your token of the hub says, which is typed into that page and goes nowhere else. The client gets
tokens of its own for it, which end together (`memdown hub revoke --client`).
"""

import html
from datetime import datetime
from urllib.parse import urlencode

import msgspec
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.routes import create_auth_routes, create_protected_resource_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import InvalidRedirectUriError, OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl, AnyUrl, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, Router

from memdown.errors import MemdownError
from memdown.hub.access import hash_of, new_token
from memdown.surfaces.mcp.http.guard import PATH as MCP
from memdown.surfaces.serve.changes import Work
from memdown.surfaces.serve.database import HubDatabase

SCOPES = ["read", "write"]
_CONSENT = "/consent"
_ACCESS_SECONDS = 3600
_REFRESH_DAYS = 30
_MOST_URIS = 20
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Let an assistant in</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem }}
input[type=password] {{ width: 100% }}
button, input {{ font: inherit; padding: .4rem }}
[role=alert] {{ color: #a00 }}
</style>
<h1>Let {name} in?</h1>
<p>An assistant that calls itself <b>{name}</b> wants to use the memory of this hub as you. It is at <b>{place}</b>;
go on only if you have just started it.</p>
{fault}<form method="post">{hidden}
<p><label>Your token of this hub<br>
<input type="password" name="token" autocomplete="off" required autofocus></label></p>
<fieldset><legend>It may</legend>{choices}</fieldset>
<p><button name="agree" value="yes">Let it in</button>
<button name="agree" value="no" formnovalidate>Cancel</button></p>
</form></html>
"""
_CHOICE = '<label><input type="radio" name="may" value="{may}"{checked}> {words}</label><br>'
_WORDS = {"read": "read what you may read", "write": "also write where you may write"}
_ASKED = ("client_id", "redirect_uri", "code_challenge", "state", "scope", "resource", "explicit")


class HubOAuth(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """What the SDK asks of who keeps clients and tokens: the database."""

    def __init__(self, database: HubDatabase, work: Work, url: str) -> None:
        self._database = database
        self._work = work
        self._url = url.rstrip("/")
        issuer = AnyHttpUrl(self._url)
        resource = AnyHttpUrl(f"{self._url}{MCP}")
        self.metadata = f"{self._url}/.well-known/oauth-protected-resource{MCP}"
        registration = ClientRegistrationOptions(enabled=True, valid_scopes=SCOPES, default_scopes=SCOPES)
        routes = [
            *create_auth_routes(self, issuer, None, registration, RevocationOptions(enabled=True)),
            *create_protected_resource_routes(resource, [issuer], SCOPES, "memdown hub"),
            Route(_CONSENT, self._consent, methods=["GET", "POST"]),
        ]
        self.paths = frozenset(route.path for route in routes)
        self.app = Router(routes)

    # Clients

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        def found() -> str | None:
            with self._database.nobody() as db:
                row = db.execute("select memdown.client_facts(%s)::text", (client_id,)).fetchone()
            return row[0] if row else None

        facts = await self._work(found)
        return OAuthClientInformationFull.model_validate_json(facts) if facts else None

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Keep a client. It has no secret: what it runs on is its user's, and its codes have a proof instead (PKCE)."""
        uris = client_info.redirect_uris or []
        if len(uris) > _MOST_URIS or not all(map(_may_be_sent_to, uris)):
            raise RegistrationError(
                "invalid_redirect_uri", "redirect to https, to this machine, or to an app's own scheme"
            )
        client_info.client_secret = client_info.client_secret_expires_at = None
        client_info.token_endpoint_auth_method = "none"
        name = (client_info.client_name or "an assistant")[:200]
        facts = client_info.model_dump_json(exclude_none=True)

        def keep() -> None:
            with self._database.nobody() as db:
                db.execute("select memdown.register_client(%s, %s, %s::jsonb)", (client_info.client_id, name, facts))

        await self._work(keep)
        if await self.get_client(client_info.client_id) is None:
            raise RegistrationError("invalid_client_metadata", "the description of the client is too long")

    # Agreeing

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """The page on which somebody agrees, with all that was asked for: it is checked again there."""
        if params.resource is not None and params.resource.rstrip("/") not in (self._url, f"{self._url}{MCP}"):
            raise AuthorizeError("invalid_target", "that is not the resource of this hub")
        asked = {
            "client_id": client.client_id,
            "redirect_uri": str(params.redirect_uri),
            "code_challenge": params.code_challenge,
            "state": params.state,
            "scope": " ".join(params.scopes or SCOPES),
            "resource": params.resource,
            "explicit": "1" if params.redirect_uri_provided_explicitly else None,
        }
        return f"{self._url}{_CONSENT}?{urlencode({name: value for name, value in asked.items() if value is not None})}"

    async def _consent(self, request: Request) -> Response:
        form = dict(await request.form()) if request.method == "POST" else dict(request.query_params)
        asked = {name: str(form[name]) for name in _ASKED if name in form}
        client = await self.get_client(asked.get("client_id", ""))
        try:
            redirect = AnyUrl(asked.get("redirect_uri", ""))
            if client is None or not asked.get("code_challenge"):
                raise InvalidRedirectUriError("unknown client, or no challenge")
            client.validate_redirect_uri(redirect)
        except (InvalidRedirectUriError, ValidationError):
            return HTMLResponse("This address is incomplete; start again in your assistant.", 400, _HEADERS)
        if request.method == "GET":
            return _page(client, asked)
        if form.get("agree") != "yes":
            return _back(asked, error="access_denied")
        may = "write" if form.get("may") == "write" and "write" in asked.get("scope", "").split() else "read"
        code = new_token()
        try:
            await self._work(lambda: self._agree(str(form.get("token", "")).strip(), code, client, may, asked))
        except MemdownError as error:
            return _page(client, asked, str(error))
        return _back(asked, code=code)

    def _agree(
        self, token: str, code: str, client: OAuthClientInformationFull, may: str, asked: dict[str, str]
    ) -> None:
        facts = msgspec.json.encode(asked).decode()
        with self._database.session(token, write=True) as (db, _):
            db.execute(
                "select memdown.authorize_client(%s, %s, %s, %s::jsonb)", (hash_of(code), client.client_id, may, facts)
            )

    # Tokens

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        found = await self._authorization(client, authorization_code, "code")
        if found is None:
            return None
        principal, may, facts, expires = found
        return AuthorizationCode(
            code=authorization_code,
            scopes=_scopes(may),
            expires_at=expires.timestamp(),
            client_id=str(client.client_id),
            code_challenge=facts["code_challenge"],
            redirect_uri=AnyUrl(facts["redirect_uri"]),
            redirect_uri_provided_explicitly="explicit" in facts,
            resource=facts.get("resource"),
            subject=principal,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        return await self._redeemed(client, authorization_code.code, "code")

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        found = await self._authorization(client, refresh_token, "refresh")
        if found is None:
            return None
        return RefreshToken(
            token=refresh_token,
            client_id=str(client.client_id),
            scopes=_scopes(found[1]),
            expires_at=int(found[3].timestamp()),
            subject=found[0],
        )

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del scopes  # the new pair may do what the one before could; what that is, is up to who agreed
        return await self._redeemed(client, refresh_token.token, "refresh")

    async def load_access_token(self, token: str) -> AccessToken | None:
        """For revoking, which asks for the client only: what a token may do, the database says with each request."""

        def client() -> str | None:
            with self._database.nobody() as db:
                row = db.execute("select memdown.client_of(%s)", (hash_of(token),)).fetchone()
            return row[0] if row else None

        found = await self._work(client)
        return AccessToken(token=token, client_id=found, scopes=[]) if found else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        def end() -> None:
            with self._database.nobody() as db:
                db.execute("select memdown.end_client_token(%s, %s)", (hash_of(token.token), token.client_id))

        await self._work(end)

    async def _authorization(
        self, client: OAuthClientInformationFull, given: str, kind: str
    ) -> tuple[str, str, dict[str, str], datetime] | None:
        def found() -> tuple[str, str, dict[str, str], datetime] | None:
            with self._database.nobody() as db:
                return db.execute(
                    "select * from memdown.authorization_of(%s, %s, %s)", (hash_of(given), kind, client.client_id)
                ).fetchone()

        row: tuple[str, str, dict[str, str], datetime] | None = await self._work(found)
        if row is None:  # where it was used before, somebody has a copy, and all that came of it ends
            await self._work(lambda: self._redeem(client, given, kind))
        return row

    async def _redeemed(self, client: OAuthClientInformationFull, given: str, kind: str) -> OAuthToken:
        found = await self._work(lambda: self._redeem(client, given, kind))
        if found is None:
            raise TokenError("invalid_grant", "this was already used, or is no longer valid")
        made: OAuthToken = found
        return made

    def _redeem(self, client: OAuthClientInformationFull, given: str, kind: str) -> OAuthToken | None:
        access, refresh = new_token(), new_token()
        with self._database.nobody() as db:
            row = db.execute(
                "select memdown.redeem(%s, %s, %s, %s, %s, %s, %s)",
                (
                    *(hash_of(given), kind, client.client_id, hash_of(access), hash_of(refresh)),
                    *(_ACCESS_SECONDS, _REFRESH_DAYS),
                ),
            ).fetchone()
        if row is None or row[0] is None:
            return None
        return OAuthToken(
            access_token=access, refresh_token=refresh, expires_in=_ACCESS_SECONDS, scope=" ".join(_scopes(row[0]))
        )


def _scopes(may: str) -> list[str]:
    return SCOPES if may in ("write", "admin") else SCOPES[:1]


def _may_be_sent_to(uri: AnyUrl) -> bool:
    """Whether a code may be sent there: over TLS, to this machine, or to an app by its own scheme."""
    if uri.scheme == "http":
        return uri.host in ("localhost", "127.0.0.1", "[::1]")
    return uri.scheme not in ("javascript", "data", "file", "vbscript", "about", "blob") and not uri.fragment


def _back(asked: dict[str, str], **more: str) -> Response:
    """To where the client waits."""
    url = construct_redirect_uri(asked["redirect_uri"], state=asked.get("state"), **more)
    return RedirectResponse(url, 303, {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})


def _page(client: OAuthClientInformationFull, asked: dict[str, str], fault: str = "") -> Response:
    wanted = SCOPES if "write" in asked.get("scope", "").split() else SCOPES[:1]
    uri = AnyUrl(asked["redirect_uri"])
    text = _PAGE.format(
        name=html.escape((client.client_name or "an assistant")[:100]),
        place=html.escape(uri.host or f"{uri.scheme}:"),
        fault=f'<p role="alert">{html.escape(fault)}</p>' if fault else "",
        hidden="".join(
            f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in asked.items()
        ),
        choices="".join(
            _CHOICE.format(may=may, words=_WORDS[may], checked=" checked" if may == "read" else "") for may in wanted
        ),
    )
    return HTMLResponse(text, 403 if fault else 200, _HEADERS)
