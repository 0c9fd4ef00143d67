"""Credentials are found and taken out; what only looks like one stays."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown import secrets
from secret_texts import HARMLESS, SecretText, alarms, misses
from secret_texts import TRUE as INDEPENDENT
from secrets_cases import FALSE, TRUE, made


@pytest.mark.parametrize("name", TRUE)
def test_a_credential_is_taken_out(name: str) -> None:
    text, secret = TRUE[name]
    redacted = secrets.redact(text.format(secret))
    assert secret not in redacted
    assert "[redacted: " in redacted
    # Nothing of it is left, and little of what stands around it is gone.
    assert secret[-8:] not in redacted
    assert redacted.startswith(text.split("{}")[0].replace("{{", "{")[:4])


@pytest.mark.parametrize("name", FALSE)
def test_what_is_none_stays(name: str) -> None:
    assert secrets.redact(FALSE[name]) == FALSE[name]


@pytest.mark.parametrize("is_unseen", [False, True], ids=["tuned on", "kept apart"])
def test_few_independent_texts_are_judged_wrongly(is_unseen: bool) -> None:
    """Below 3 % of the credentials are missed, below 2 % of what is harmless is taken for one."""

    def share(wrong: list[SecretText], all_texts: tuple[SecretText, ...]) -> float:
        return len(wrong) / sum(each.is_unseen == is_unseen for each in all_texts)

    missed, harmless = ([each for each in found if each.is_unseen == is_unseen] for found in (misses(), alarms()))
    assert share(missed, INDEPENDENT) < 0.03, [each.name for each in missed]
    assert share(harmless, HARMLESS) < 0.02, [each.name for each in harmless]


def test_what_is_passed_over_fast_has_no_credential(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is looked for at every letter, a token after every sign: no more is found than with what is rarer."""
    texts = [
        *(each.text for each in (*INDEPENDENT, *HARMLESS)),
        *FALSE.values(),
        *(text.format(secret) for text, secret in TRUE.values()),
    ]
    fast = [secrets.redact(text) for text in texts]
    monkeypatch.setattr(secrets, "_STEMS", [re.compile(r"(?s:.)")] * 2)
    monkeypatch.setattr(secrets, "_STARTS", re.compile(r"[^A-Za-z0-9](?:(?<=\\)[nrt]|(?<=%)[0-9A-F]{2}|)"))
    assert [text for text, redacted in zip(texts, fast, strict=True) if secrets.redact(text) != redacted] == []


def test_what_is_taken_out_is_named() -> None:
    token = TRUE["GitHub classic"][1]
    assert secrets.redact(f"a {token} b") == "a [redacted: GitHub token] b"
    assert secrets.redact("password: Tr0ub4dor" + "&3x") == "password: [redacted: password]"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("ghp_" + "16C7e42F292c6912E7710c83", "GitHub token"),  # cut
        ("AKIA" + "5XJ3K2Q7P9RT4LMN", "AWS access key"),  # with a digit that none has
        ("xoxb-" + "1x2y3z4a5b6c7d", "Slack token"),
        ("key-" + "9f8e7d6c5b4a39f8e7", "assigned secret"),
        ("9f8e7d6c5b4a39f8e7d6", "assigned secret"),
    ],
)
def test_a_value_that_begins_as_a_token_is_called_by_its_kind(value: str, kind: str) -> None:
    for text in ("token={}", "token: {}", "TOKEN=\n{}\n", "| name | token |\n|---|---|\n| a | {} |\n"):
        assert f"[redacted: {kind}]" in secrets.redact(text.format(value)), text


TOKEN = TRUE["GitHub classic"][1]
ODD = "Wr7!k" + "Lm2q"


@pytest.mark.parametrize("before", ['{"text": "see\\n', "see\\t", "a=1%3D", "%0A", "a/", "[", ""])
def test_a_token_begins_after_what_is_escaped_or_encoded(before: str) -> None:
    assert secrets.redact(f"{before}{TOKEN} b") == f"{before}[redacted: GitHub token] b"


def test_a_token_may_begin_with_what_looks_escaped() -> None:
    assert secrets.redact(f"C:\\npm_{made(36)} b") == "C:\\[redacted: npm token] b"


@pytest.mark.parametrize("gap", ["\n", "\r\n", "\n> ", "\u200b", "\u00ad"])
def test_a_token_is_found_though_something_is_in_it(gap: str) -> None:
    assert secrets.redact(f"x {TOKEN[:22]}{gap}{TOKEN[22:]} y\n") == "x [redacted: GitHub token] y\n"


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("| host | user | password |\n|---|---|---|\n| a.b | app | {} |\n", ODD, "password"),
        ("\n| password |\n|---|\n| {} |\n", ODD, "password"),
        ("identified by '{}';", f"{ODD}.", "password of a command"),
        ("\tcurl -u ann:{}. Then", ODD, "password of a command"),
        ("The password: {}.\n", "7!kL(mq2w)", "password"),
        ('password: "{}"', f"{ODD} and 4", "password"),
        ("SIGNING_KEY={}", "kX7vQm2wR4t" + "Z9bL1", "assigned secret"),
        ("deploy --password {} now", "sommer" + "2024", "password"),
        ("JIRA_PAT={}", "kX7vQm2wR4tZ9bL1" + "sD8f", "assigned secret"),
        ("Contrase\xf1a: {}", ODD, "password"),
        ("senha: {}", ODD, "password"),
        ("wachtwoord: {}", ODD, "password"),
        ("Anmeldung: ann / {}", ODD, "password"),
        ("account: ann / {}", ODD, "password"),
        ("curl -uann:{} x", ODD, "password of a command"),
        ("openssl enc -pass {} -in a", "pass:Fr0sty" + "Mug7", "password"),
        (":thin:scott/{}@db", ODD, "password in a URL"),
    ],
)
def test_what_is_taken_out_is_the_value_and_nothing_else(text: str, value: str, kind: str) -> None:
    assert secrets.redact(text.format(value)) == text.format(f"[redacted: {kind}]")


@pytest.mark.parametrize(
    "text",
    [
        "Passwort: größerer (siehe abc12x)",
        "secret: src/a1b2c3d/x",
        "the password sommer" + "2024 of old",
        "glob_pat=kX7vQm2wR4tZ9bL1" + "sD8f",
        "notes-a ann:Wr7!k" + "Lm2q",
        "CACHE_KEY=kX7vQm2wR4t" + "Z9bL1",
    ],
)
def test_what_only_stands_near_a_name_stays(text: str) -> None:
    assert secrets.redact(text) == text


def test_an_allowed_value_stays() -> None:
    token = TRUE["GitHub classic"][1]
    assert secrets.redact(f"a {token} b", allow=[token]) == f"a {token} b"


def test_a_comment_permits_only_the_rules_it_names() -> None:
    token = TRUE["GitHub classic"][1]
    assert token in secrets.redact(f"{token} <!-- memdown: ignore[SEC002] -->")
    assert token not in secrets.redact(f"{token} <!-- memdown: ignore[SEC006] -->")


def test_several_in_one_text() -> None:
    texts = [text.format(secret) for text, secret in TRUE.values()]
    redacted = secrets.redact("\n\n".join(texts))
    assert [name for name, (_, secret) in TRUE.items() if secret in redacted] == []


def test_what_was_named_once_is_known_wherever_it_stands() -> None:
    value = f"kX7v{'Qm2w'}9!t"
    text = f"Use {value} for now.\n\npassword: {value}\n\nAgain: x{value}\n"
    assert secrets.redact(text) == text.replace(value, "[redacted: password]")
    assert secrets.redact("The hamster sleeps.\nhttps://ann:hamster@example.org\n").startswith("The hamster sleeps.")
    many = "".join(f"password: {value}{number}x\n" for number in range(17))
    assert secrets.redact(f"{many}{value}3x") == "password: [redacted: password]\n" * 17 + f"{value}3x"


@given(st.text(alphabet="pasword=:\"' tkn_-AKIAghp_eyJ.0123456789xY/@\n", max_size=300))
def test_taking_out_twice_changes_nothing(text: str) -> None:
    once = secrets.redact(text)
    assert secrets.redact(once) == once


@given(st.text(max_size=200), st.text(max_size=200))
def test_whatever_stands_around_it(before: str, after: str) -> None:
    token = "gh" + "p_" + made(36)
    if "ignore[" not in before + after:
        assert token not in secrets.redact(f"{before} {token} {after}")


@pytest.mark.parametrize(
    "piece",
    [
        "eyJ",
        "eyJa.",
        "password",
        "password=",
        "://a:",
        "sk-",
        "-----BEGIN PRIVATE KEY-----",
        "A",
        "ghp_",
        "İ",
        "token is ",
        "\x00",
        "password a1",
        "| a1b2c3d4 |\n",
        "| token |\n|---|\n| a1b2c3 |\n",
        "a1b2c3d4\n",
        "mysql -u a1:b2 ",
        "login / a1B2c3D4 ",
        "cookie: sid1 ",
        "\u200ba1",
        "ghp_a1",
        "pass(a1b2 ",
    ],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    secrets.redact(text)  # a quadratic reader would take longer than a test may
