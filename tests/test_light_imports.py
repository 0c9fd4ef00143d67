"""A command loads what it needs; a module that is put off is the real one as soon as anything is asked of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from memdown import hashes

STANDING_IN = """
import sys
from memdown.surfaces import light_imports
light_imports.load("pathlib", "click", "msgspec")
put_off = ("textwrap", "urllib.parse", "msgspec.inspect", "msgspec._json_schema", "msgspec.yaml")
print([name for name in put_off if name in sys.modules])
import click, msgspec, pathlib, uuid
print(pathlib.PurePosixPath("/a b").as_uri(), msgspec.json.schema(int), msgspec.json.decode(b"[1]"))
print(msgspec.inspect.type_info(int), click.Option(["-x"], help="One.\\n  Two.").help, uuid.UUID(int=1).int)
import inspect, textwrap, urllib.parse
print(inspect.isfunction(inspect.isfunction), textwrap.dedent(" x"), urllib.parse.quote("a b"))
"""


def python(*args: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *args], cwd=cwd, capture_output=True, encoding="utf-8", check=True)


def test_what_is_put_off_is_there_when_it_is_asked_for(tmp_path: Path) -> None:
    assert python("-c", STANDING_IN, cwd=tmp_path).stdout.splitlines() == [
        "[]",
        "file:///a%20b {'type': 'integer'} [1]",
        "IntType(gt=None, ge=None, lt=None, le=None, multiple_of=None) One.",
        "Two. 1",
        "True x a%20b",
    ]


@pytest.mark.parametrize("command", [("add", "card", "Pool", "--keyword", "p", "--content", "Ten of them."), ("list",)])
def test_a_command_loads_only_what_it_needs(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "memories").mkdir()
    ran = python("-X", "importtime", "-m", "memdown", *command, cwd=tmp_path)
    loaded = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    heavy = {"hashlib", "json", "subprocess", "textwrap", "urllib.parse", "difflib", "tomllib", "yaml"}
    own = {"dialects.bank.grammar", "dialects.journal.names", "dialects.okf.grammar", "acts.check", "scan"}
    assert loaded & {*heavy, *(f"memdown.{name}" for name in own)} == set()


@pytest.mark.parametrize("size", [0, 1, 1 << 18, (1 << 18) + 1])
def test_a_hash_is_the_same_for_small_and_large_data(size: int) -> None:
    import hashlib  # noqa: PLC0415 - which the module is there to do without

    assert hashes.sha256(b"x" * size) == hashlib.sha256(b"x" * size).hexdigest()
