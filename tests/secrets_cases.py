"""Texts with and without credentials. Tokens are made when this is loaded, so that no scanner finds one in the source."""

import hashlib
import random
import string

_LETTERS = string.ascii_letters
_MIXED = _LETTERS + string.digits
_HEX = "0123456789abcdef"
_WIDE = _MIXED + "-_"


def made(length: int, letters: str = _MIXED, seed: str = "") -> str:
    """Random characters that are the same on every run, with at least one of each class the letters have."""
    dice = random.Random(f"{length}{letters}{seed}")
    while True:
        word = "".join(dice.choice(letters) for _ in range(length))
        if letters == _HEX or (any(map(str.isupper, word)) and (letters != _MIXED or any(map(str.isdigit, word)))):
            return word


def _pem(kind: str, eol: str = "\n") -> str:
    body = eol.join(made(64, _MIXED + "+/", str(line)) for line in range(6))
    return f"-----{'BEGIN'} {kind}-----{eol}{body}{eol}-----{'END'} {kind}-----"


_JWT = f"eyJ{made(34)}.eyJ{made(60)}.{made(43, _WIDE)}"

TRUE: dict[str, tuple[str, str]] = {
    name: (text, secret)
    for name, text, secret in (
        ("AWS access key", "Use {} for the bucket.", "AK" + "IA" + made(16, string.ascii_uppercase + "234567")),
        (
            "AWS temporary key",
            "export AWS_ACCESS_KEY_ID={}",
            "AS" + "IA" + made(16, string.ascii_uppercase + "234567", "t"),
        ),
        ("words with numbers", "DB password={}", "hunt" + "er2hunt" + "er2"),
        ("words with numbers, said", "The admin password is {}", "hunt" + "er2Corr" + "ect7"),
        ("AWS secret key", "aws_secret_access_key = {}", made(40, _MIXED + "/+")),
        ("AWS secret key in JSON", '{{"SecretAccessKey": "{}"}}', made(40, _MIXED + "/+", "json")),
        ("Google API key", "maps: `{}`", "AI" + "za" + made(35, _WIDE)),
        ("Google OAuth secret", "client_secret: {}", "GOCSPX" + "-" + made(28, _WIDE)),
        ("Google access token", "curl -H 'Authorization: Bearer {}'", "ya" + "29." + made(60, _WIDE)),
        ("DigitalOcean", "doctl auth init -t {}", "dop_" + "v1_" + made(64, _HEX)),
        (
            "Azure storage",
            "DefaultEndpointsProtocol=https;AccountName=app;AccountKey={};",
            made(86, _MIXED + "+/") + "==",
        ),
        ("GitHub classic", "git clone https://{}@github.com/me/app", "gh" + "p_" + made(36)),
        ("GitHub app", "GITHUB_TOKEN={}", "gh" + "s_" + made(36, _MIXED, "s")),
        ("GitHub fine-grained", "token: {}", "github" + "_pat_" + made(22) + "_" + made(59)),
        ("GitLab", "--header 'PRIVATE-TOKEN: {}'", "gl" + "pat-" + made(20, _WIDE)),
        ("Slack bot", "SLACK_TOKEN={}", "xox" + "b-" + made(12, string.digits + "A") + "-" + made(24)),
        (
            "Slack webhook",
            "Post to https://hooks.slack.com/services/{}",
            "T" + made(9) + "/B" + made(9) + "/" + made(24),
        ),
        (
            "Discord webhook",
            "https://discord.com/api/webhooks/{}",
            "123456789012345678".replace("1234567", "9182736") + "/" + made(68, _WIDE),
        ),
        ("Stripe live", "The key is {}.", "sk_" + "live_" + made(24)),
        ("Stripe webhook secret", "STRIPE_WEBHOOK={}", "wh" + "sec_" + made(32)),
        ("Anthropic", "ANTHROPIC_API_KEY={}", "sk-" + "ant-api03-" + made(93, _WIDE) + "AA"),
        ("OpenAI", "OPENAI_API_KEY={}", "sk-" + made(48)),
        ("OpenAI project", "key `{}` works", "sk-" + "proj-" + made(48)),
        ("npm", "//registry.npmjs.org/:_authToken={}", "np" + "m_" + made(36)),
        ("PyPI", "twine upload -u __token__ -p {}", "pypi-" + "AgEIcHlwaS5vcmc" + made(120, _WIDE)),
        ("Hugging Face", "HF_TOKEN={}", "h" + "f_" + made(34, _LETTERS)),
        ("SendGrid", "sendgrid: {}", "S" + "G." + made(22, _WIDE) + "." + made(43, _WIDE)),
        ("Linear", "LINEAR={}", "lin_" + "api_" + made(40)),
        ("Shopify", "SHOPIFY_TOKEN={}", "shp" + "at_" + made(32, _HEX)),
        ("Databricks", "databricks token {}", "da" + "pi" + made(32, _HEX)),
        ("Vault", "VAULT_TOKEN={}", "hv" + "s." + made(90, _WIDE)),
        ("Postman", "x-api-key: {}", "PM" + "AK-" + made(24, _HEX) + "-" + made(34, _HEX)),
        ("age", "{}", "AGE-" + "SECRET-KEY-1" + made(58, string.ascii_uppercase + string.digits)),
        ("Groq", "export GROQ={}", "gs" + "k_" + made(52)),
        ("Replicate", "REPLICATE={}", "r" + "8_" + made(37)),
        ("Docker", "docker login -u me -p {}", "dckr_" + "pat_" + made(27, _WIDE)),
        ("Mailgun", "mailgun {}", "ke" + "y-" + made(32, _HEX)),
        ("Tailscale", "tailscale up --authkey {}", "ts" + "key-auth-" + made(12) + "-" + made(32)),
        ("RSA key", "Saved it:\n\n{}\n\nDone.", _pem("RSA " + "PRIVATE KEY")),
        ("OpenSSH key", "{}", _pem("OPENSSH " + "PRIVATE KEY")),
        ("key without a kind", "{}", _pem("PRIVATE" + " KEY")),
        ("key in a JSON string", '{{"private_key": "{}"}}', _pem("PRIVATE" + " KEY", "\\n")),
        ("JSON web token", "cookie: session={}", _JWT),
        ("JSON web token in a header", "Authorization: Bearer {}", _JWT.replace("eyJ", "eyJh", 1)),
        ("opaque bearer token", "Authorization: Bearer {}", made(40, _MIXED, "bearer")),
        ("PostgreSQL URL", "DATABASE_URL=postgresql://app:{}@db.internal:5432/app", "s3cr3t" + "Pw9"),
        ("MongoDB URL", "mongodb+srv://svc:{}@cluster0.ab1cd.mongodb.net/x", made(16, _MIXED, "mongo")),
        ("Redis URL without a user", "redis://:{}@cache:6379/0", made(20, _MIXED, "redis")),
        ("URL with a plain word", "amqp://guest:{}@mq:5672", "bunny" + "hop"),
        ("password in an env file", "DB_PASSWORD={}", "Tr0ub4dor" + "&3"),
        ("password in quotes", 'password = "{}"', "c0rrect-H0rse" + "-9x1"),
        ("password in YAML", "  password: {}", "aB3" + "$kL9!mN".replace("$", "#")),
        ("password in a table", "| admin password | {} |", "W1nter" + "Rose77x"),
        ("password in prose", "The staging password is {}.", "hunt3r" + "Two!9"),
        ("password in bold", "**Password:** {}", "Qw7" + "zP0lkM2"),
        ("password option", "mysql --password {} app", "pL4t" + "ypus99x"),
        ("API key in JSON", '"apiKey": "{}"', made(32, _MIXED, "api")),
        ("API key in hexadecimal", "api_key: {}", made(40, _HEX, "api")),
        ("API key in a query", "GET /v1?api_key={}&limit=10", made(24, _MIXED, "query")),
        ("client secret", "CLIENT_SECRET='{}'", made(40, _WIDE + "~.", "client")),
        ("token in code", 'const token = "{}";', made(48, _MIXED, "code")),
        ("signing key", "signing_key: {}", made(44, _MIXED + "+/", "sign")),
        ("credential", "credential={}", made(30, _MIXED, "credential")),
    )
}
"""A text with `{}` where the credential stands, and the credential."""

_SHA = hashlib.sha256(b"memdown").hexdigest()
FALSE: dict[str, str] = {
    "commit": f"Fixed in {_SHA[:40]}.",
    "short commit": f"See {_SHA[:7]} and {_SHA[8:16]}.",
    "SHA-256": f"sha256: {_SHA}",
    "content hash": f"content_hash: '{_SHA[:16]}'",
    "token hash": f"token_hash = {_SHA}",
    "password hash field": f"password_hash: {_SHA}",
    "MD5": f"ETag {_SHA[:32]}",
    "UUID": "id: 550e8400-e29b-41d4-a716-446655440000",
    "UUID of a token": "token: 550e8400-e29b-41d4-a716-446655440000",
    "token id": "token_id: tok_8f3a9c2e71",
    "image": "![x](data:image/png;base64," + made(4000, _MIXED + "+/") + ")",
    "font": "src: url(data:font/woff2;base64," + made(2000, _MIXED + "+/", "font") + ")",
    "lock file": f'"integrity": "sha512-{made(86, _MIXED + "+/")}=="',
    "lock file of Go": f"golang.org/x/text v0.3.7 h1:{made(43, _MIXED + '+/')}=",
    "lock file of Rust": f'checksum = "{_SHA}"',
    "lock file of Python": f"    --hash=sha256:{_SHA}",
    "public key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" + made(44, _MIXED + "+/") + " me@host",
    "certificate": _pem("CERTIFICATE"),
    "public PEM": _pem("PUBLIC KEY"),
    "placeholder in brackets": "api_key=<YOUR_KEY>",
    "placeholder of words": "API_KEY=your-api-key-goes-here-123",
    "placeholder of x": "token: xxxxxxxxxxxxxxxxxxxxxxxx1A",
    "placeholder of stars": "password: ************",
    "placeholder of dots": "sk-ant-api03-........................................",
    "placeholder GitHub": "ghp_" + "x" * 36,
    "AWS's own example": "AKIA" + "IOSFODNN7" + "EXAMPLE",
    "AWS's own example secret": "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    "changeme": "password=changeme123",
    "example in a URL": "postgres://user:password@localhost:5432/db",
    "variable in a URL": "postgres://app:${DB_PASSWORD}@db/app",
    "placeholder in a URL": "https://<user>:<token>@github.com/x/y",
    "URL with a port": "http://localhost:8080/@scope/pkg",
    "git remote": "ssh://git@github.com:22/org/repo.git",
    "e-mail link": "mailto://team:me@host",
    "environment": "password = os.environ['DB_PASSWORD_PROD_2']",
    "environment in JavaScript": "const token = process.env.GITHUB_TOKEN_V2_MAIN;",
    "environment in TypeScript": "  token: process.env.GITHUB_PLATFORM_API_TOKEN!,",
    "name of a function": "- Email/Password: signInWithEmailAndPassword with error code handling",
    "shell variable": "TOKEN=$GITHUB_TOKEN_FOR_CI_2024",
    "template": "api_key: {{ secrets.API_KEY_2 }}",
    "CI secret": "token: ${{ secrets.GITHUB_TOKEN }}",
    "function": "password = generate_password(length=32)",
    "type": "password: Optional[SecretStr]",
    "type in TypeScript": "apiKey: string | undefined;",
    "name of a variable": "The variable ANTHROPIC_API_KEY must be set.",
    "name as value": "token_env: GITHUB_TOKEN_READONLY",
    "words about passwords": "Password: at-least-12-characters, one digit.",
    "words about tokens": "Token: JWT-based, refreshed every 15 minutes.",
    "tokens of a model": "max_tokens: 200000",
    "many tokens": "Tokens: 12,345,678 in, 23,456 out",
    "token count": "token_count=123456789012345678",
    "budget": "token budget: 8000-tokens-per-session",
    "path of a secret": "secret: /run/secrets/db_password_v2",
    "file of a key": "private_key_file: ~/.ssh/id_ed25519_work2",
    "URL of tokens": "token_url: https://auth.acme.io/oauth2/v2/token",
    "secret's name": "secretName: app-tls-cert-2024-prod-eu1",
    "reference": "secretKeyRef: {name: db, key: password}",
    "class": "class PasswordResetTokenGenerator2:",
    "CSS": ".sk-fading-circle-animation-container-wrapper-large { }",
    "skeleton": "sk-loading-spinner-container-with-a-long-name-here",
    "version": "token: v2.13.4-beta.1+build.20240115",
    "date": "password_changed: 2024-01-15T10:30:00Z",
    "question": "Did you forget your password? Click here2continue",
    "German": "Passwort: Bitte beim Administrator erfragen (Durchwahl 4711).",
    "API key of words": "API key: stored in 1Password under Infrastructure",
    "rotation": "Secret rotation: every-90-days",
    "secret manager": "secret: projects/123/secrets/db-password/versions/latest",
    "ARN": "secret_arn: arn:aws:secretsmanager:eu-west-1:111122223333:secret:db",
    "e-mail": "password reset token is sent to: first.last99@acme.io",
    "basic word": "bearer: authentication-scheme",
    "key press": "key-bindings and key-value-stores",
    "redacted before": "password=[redacted: password]",
    "allowed by a comment": "password=Tr0ub4dor" + "&3x  # gitleaks:allow",
    "ignored by a comment": "password=Tr0ub4dor" + "&3x <!-- memdown: ignore[SEC006] -->",
    "log line": "2024-01-15 10:30:00 INFO session=8f3a9c2e71d04b5a user=42",
    "regular expression": r"password: ^(?=.*\d)[A-Za-z\d]{8,}$",
    "emoji": "Token: ✅ erledigt2024",
    "module": "from app.security.password2 import PasswordHasher2",
    "test count": "secret scanning: 1,204-files/12s",
    "markdown link": "[API key](docs/api-key-setup-v2.md)",
    "short JWT": "eyJhbGciOi",
    "headline": "## Password policy: OWASP-ASVS-4.0.3-L2",
}
