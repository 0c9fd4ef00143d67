"""Rules about credentials, which no file of memory should hold: it is committed, shared, and read to assistants."""

from collections.abc import Iterator

from memdown import secrets
from memdown.diagnostics import Finding, Fix, rule
from memdown.record import Document
from memdown.text import Edit, Span


def _found(doc: Document, code: str) -> Iterator[Finding]:
    for secret in doc.of(secrets.find):
        if secret.code == code:
            span = Span(secret.start, secret.end)
            mark = f"[redacted: {secret.kind}]"
            # The message shows nothing of it: findings end up in logs.
            yield Finding(
                span,
                f"This looks like a credential ({secret.kind}); change it where it is used, and remove it here.",
                Fix(f"put {mark} in its place", (Edit(span, mark),), safe=False),
            )


@rule("SEC001", "error")
def cloud_key(doc: Document) -> Iterator[Finding]:
    """There is a key of a cloud provider.

    Anyone who has it can use the account. Memory is committed and given to assistants, so treat the key as leaked:
    create a new one, then remove this one. A key that may stay here can be listed under `secrets.allow`.
    The example is written with escapes, so that no scanner finds it here.

    Bad (bytes):
        Deploys use AK\\x49A4QZ7N2MWRT5KLXEV.\\n
    Good:
        Deploys use the key in the vault, under deploy/aws.

    ## Fix

    Unsafe: the key is replaced with its kind.
    """
    return _found(doc, "SEC001")


@rule("SEC002", "error")
def service_token(doc: Document) -> Iterator[Finding]:
    """There is an access token of a service, such as GitHub, Slack, Stripe, npm or a model provider.

    Revoke it at the service, then remove it. The example is written with escapes, so that no scanner finds it here.

    Bad (bytes):
        Clone with gh\\x70_q7Rk2LmX9vTz4WnB8sYc1DfG6hJp3KaE5uQi0.\\n
    Good:
        Clone with the token in `GITHUB_TOKEN`.

    ## Fix

    Unsafe: the token is replaced with its kind.
    """
    return _found(doc, "SEC002")


@rule("SEC003", "error")
def private_key(doc: Document) -> Iterator[Finding]:
    """There is a private key.

    Make a new pair, and keep the private half out of files that are shared. The example is written with escapes, so
    that no scanner finds it here.

    Bad (bytes):
        -----BEGIN PRIV\\x41TE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgE\\n-----END PRIV\\x41TE KEY-----\\n
    Good:
        The private key is `~/.ssh/deploy` on the build server.

    ## Fix

    Unsafe: the key is replaced with its kind.
    """
    return _found(doc, "SEC003")


@rule("SEC004", "error")
def web_token(doc: Document) -> Iterator[Finding]:
    """There is a JSON web token.

    It identifies someone until it expires, and anyone can read its contents. The example is written with
    escapes, so that no scanner finds it here.

    Bad (bytes):
        session=eyJ\\x68bGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiIsIm5hbWUiOiJKbyJ9.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\\n
    Good:
        The session cookie holds a JSON web token (HS256, 15 minutes).

    ## Fix

    Unsafe: the token is replaced with its kind.
    """
    return _found(doc, "SEC004")


@rule("SEC005", "error")
def password_in_url(doc: Document) -> Iterator[Finding]:
    """There is a password in a URL or connection string.

    Bad:
        DATABASE_URL=postgresql://app:k9WmT2vR@db.internal/app
    Good:
        DATABASE_URL=postgresql://app:${DB_PASSWORD}@db.internal/app

    ## Fix

    Unsafe: the password is replaced with its kind.
    """
    return _found(doc, "SEC005")


@rule("SEC006", "warning")
def assigned_secret(doc: Document) -> Iterator[Finding]:
    """A name such as password, token or api_key is given a value that looks like a real one.

    Words, names of variables, paths and placeholders are not reported. A value that may stay here, such as that of a
    test account, can be listed under `secrets.allow`, or allowed by a comment on its line.

    Bad:
        The admin password is Wr7!kLm2q.
    Good:
        The admin password is in the vault. In tests: password=<any>

    ## Fix

    Unsafe: the value is replaced with its kind.
    """
    return _found(doc, "SEC006")


@rule("SEC007", "error")
def authorization_header(doc: Document) -> Iterator[Finding]:
    """There is an authorization header with its token.

    Bad:
        curl -H 'Authorization: Bearer 4fT9xQ2mZ7rK1wLpV8sN'
    Good:
        curl -H "Authorization: Bearer $TOKEN"

    ## Fix

    Unsafe: the token is replaced with its kind.
    """
    return _found(doc, "SEC007")
