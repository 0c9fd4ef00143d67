"""Symbols of code in every language that has a grammar: which are defined, what they are inside of, whether they changed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memdown.evidence.symbols import SymbolReader, ctags, worker
from memdown.evidence.symbols.languages import GRAMMARS
from samples import put
from test_verify import Cli, commit, git, repository, says, stated

__all__ = ["repository"]


@pytest.fixture(scope="module")
def reader() -> Iterator[SymbolReader]:
    with SymbolReader() as made:
        yield made


@pytest.fixture
def without_grammars(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is without the extra `code`."""
    monkeypatch.setattr(worker, "is_installed", lambda _: False)


@pytest.fixture
def without_ctags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctags, "program", lambda: None)


JAVASCRIPT = """\
// the pool
export class Pool extends Base {
  size = 3
  take(n) { return n }
}
export const open = (n) => n
function close() { return 1 }
Pool.prototype.drop = function () {}
module.exports.spare = { grow() {} }
const [count, setCount] = useState(0)
useEffect(() => {})
"""
CODE = {
    "js": (
        JAVASCRIPT,
        "Pool Pool.size Pool.take open close Pool.drop spare spare.grow setCount",
        "useEffect Base useState",
    ),
    "jsx": (JAVASCRIPT, "Pool.take", "useEffect"),
    "ts": (
        "export interface Pool<T> { size: number; take(n: number): T }\nexport type Id = string\n"
        "enum Mode { Fast, Slow = 2 }\nabstract class A implements Pool<B> { constructor(private readonly db: Db) {}\n"
        "  private async run(): Promise<void> { await this.call() } }\nnamespace Inner { export const x = 1 }\n",
        "Pool Pool.size Pool.take Id Mode.Fast Mode.Slow A.run A.constructor.db Inner.x",
        "Db call B",
    ),
    "tsx": (
        "export function View({ name }: Props) { return <b onClick={() => go()}>{name}</b> }\n",
        "View",
        "go Props",
    ),
    "go": (
        "package db\n\ntype Pool struct {\n\tsize int\n}\n\ntype Taker interface{ Take() int }\n\nconst Most = 3\n\n"
        "func (p *Pool) Take(n int) int { return n }\n\nfunc (l List[T]) Len() int { return 0 }\n\nfunc Open() { fmt.Println(1) }\n",
        "Pool Pool.size Pool.Take List.Len Taker.Take Most Open",
        "Println Most.Open",
    ),
    "rs": (
        "pub struct Pool<T> { size: T }\nimpl<T> Pool<T> { pub fn take(&self) -> u8 { call() } }\n"
        "impl Drop for Guard { fn drop(&mut self) {} }\nenum Mode { Fast, Slow }\npub const MOST: u8 = 1;\nmacro_rules! pool { () => {} }\n",
        "Pool.size Pool.take Guard.drop Mode.Fast MOST pool",
        "call Pool.drop",
    ),
    "java": (
        "package a;\npublic class Pool extends Base {\n  private final int size = 1;\n  public Pool(int n) {}\n"
        "  public int take(int n) { return call(n); }\n  enum Mode { FAST }\n}\nrecord Point(int x, int y) {}\n",
        "Pool Pool.size Pool.take Pool.Mode.FAST Point Point.x",
        "call Base",
    ),
    "cs": (
        "namespace A.B;\npublic record Point(int X);\npublic class Pool : Base {\n  public int Size { get; set; }\n  private int _n = 1;\n"
        "  public async Task<int> Take(int n) { return await Call(n); }\n}\ninterface ITaker { int Take(); }\n",
        "Pool Pool.Size Pool._n Pool.Take ITaker.Take Point Point.X",
        "Call Base",
    ),
    "rb": (
        "module Db\n  class Pool < Base\n    attr_reader :size\n    MOST = 3\n    def take(n)\n      call(n)\n    end\n    def self.open; end\n  end\nend\n",
        "Db.Pool Pool.size Pool.MOST Pool.take Pool.open",
        "call Base",
    ),
    "php": (
        "<?php\nnamespace A;\nclass Pool extends Base {\n  const MOST = 3;\n  public int $size = 1;\n"
        "  public function take(int $n): int { return call($n); }\n}\nfunction open() {}\nenum Mode { case Fast; }\n",
        "Pool.MOST Pool.size Pool.take open Mode.Fast",
        "call Base",
    ),
    "c": (
        "#define MOST 3\nstruct pool { int size; };\ntypedef struct pool pool_t;\nstatic int *take(int n) { return call(n); }\nint open(void);\n",
        "MOST pool.size pool_t take open",
        "call",
    ),
    "cpp": (
        "namespace db {\nclass Pool : public Base {\npublic:\n  int take(int n) { return call(n); }\n  void drop();\n};\n}\nvoid db::Pool::drop() {}\n",
        "Pool Pool.take Pool.drop",
        "call Base",
    ),
    "kt": (
        "package a\ndata class Pool(val size: Int) : Base() {\n  fun take(n: Int): Int = call(n)\n  val most = 3\n}\nobject One\nfun open() {}\n",
        "Pool.size Pool.take Pool.most One open",
        "call Base",
    ),
    "swift": (
        "struct Pool: Base {\n  let size: Int\n  func take(_ n: Int) -> Int { call(n) }\n}\nprotocol Taker { func take() }\nenum Mode { case fast }\n",
        "Pool.size Pool.take Taker.take Mode.fast",
        "call Base",
    ),
    "py": (
        "class Pool(Base):\n    size = 1\n    def take(self): return call()\nif 1:\n    def open(): pass\n",
        "Pool.size Pool.take open",
        "call Base",
    ),
}


@pytest.mark.parametrize("ending", CODE)
def test_a_parser_tells_definitions_from_uses(reader: SymbolReader, ending: str) -> None:
    text, defined, used = CODE[ending]
    found = reader.read(f"a.{ending}", text.encode())
    assert found
    assert (found.how, found.is_whole) == ("parser", True)
    assert [each for each in defined.split() if not found.of(each)] == []
    assert [each for each in used.split() if found.of(each)] == []


def test_every_grammar_is_tried() -> None:
    assert {GRAMMARS[each].module for each in CODE if each in GRAMMARS} == {each.module for each in GRAMMARS.values()}
    assert [each for each in GRAMMARS.values() if not worker.is_installed(each.module)] == []


BODIES = {
    ending: (before, after, before.replace("n + 1", "n + 2"))
    for ending, (before, after) in {
        "js": (
            "function take(n) {\n  return n + 1 + 'x'\n}\n",
            '// more\nfunction take(n) {\n  // as it is\n  return n + 1 + "x";\n}\n',
        ),
        "ts": ("const take = (n: number) => n + 1\n", "export const take = (\n  n: number,\n) => n + 1;\n"),
        "go": (
            "package a\nfunc take(n int) int { return n + 1 }\n",
            "package a\n\n// take\nfunc take(n int) int {\n\treturn n + 1 // n\n}\n",
        ),
        "rs": ("fn take(n: u8) -> u8 { n + 1 }\n", "/// Takes.\nfn take(n: u8) -> u8 {\n    // n\n    n + 1\n}\n"),
        "java": (
            "class A {\n  int take(int n) { return n + 1; }\n}\n",
            "class A { int b;\n  /** Takes. */\n  int take(int n) { /* n */\n return n + 1; } }\n",
        ),
        "cs": (
            "class A {\n  int take(int n) { return n + 1; }\n}\n",
            "class A { int b;\n  /// Takes.\n  int take(int n) { /* n */\n return n + 1; } }\n",
        ),
        "rb": ("def take(n)\n  n + 1\nend\n", "# take\ndef take(n)\n  # n\n  n + 1\nend\n"),
        "php": (
            "<?php\nfunction take($n) { return $n + 1; }\n",
            "<?php\n/** Takes. */\nfunction take($n) {\n  # n\n  return $n + 1;\n}\n",
        ),
        "c": ("int take(int n) { return n + 1; }\n", "/* take */\nint take(int n)\n{\n  return n + 1; // n\n}\n"),
        "cpp": ("int take(int n) { return n + 1; }\n", "/* take */\nint take(int n)\n{\n  return n + 1; // n\n}\n"),
        "kt": (
            "fun take(n: Int): Int { return n + 1 }\n",
            "// take\nfun take(n: Int): Int {\n  return n + 1 // n\n}\n",
        ),
        "swift": (
            "func take(n: Int) -> Int { return n + 1 }\n",
            "// take\nfunc take(n: Int) -> Int {\n  return n + 1 // n\n}\n",
        ),
    }.items()
}
"""A text, the same laid out otherwise, and one that does something else."""


@pytest.mark.parametrize("ending", BODIES)
def test_a_body_is_the_same_whatever_its_comments_and_layout(reader: SymbolReader, ending: str) -> None:
    bodies = []
    for each in BODIES[ending]:
        found = reader.read(f"a.{ending}", each.encode(), ["take"])
        assert found
        bodies.append(found.body("take"))
    assert bodies[0]
    assert bodies[0] == bodies[1] != bodies[2]


def test_a_cited_symbol_is_changed_by_its_own_body(cli: Cli, repository: Path) -> None:
    def put_all(number: int) -> str:
        for ending, texts in BODIES.items():
            put(repository, f"src/a.{ending}", texts[number])
        return commit(f"Make {number}", at=f"2026-01-0{number + 1}T00:00:00Z")

    names = "js ts go rs java cs rb php".split()
    says(*(f"`src/a.{ending}::take` hands out connections." for ending in names))
    put_all(0)
    put_all(1)
    assert {(each["state"], each["evidence"]) for each in stated(cli).values()} == {("fresh", "parser")}
    head = put_all(2)
    found = stated(cli)
    assert {(each["state"], each["commit"], each["evidence"]) for each in found.values()} == {
        ("changed", head, "parser")
    }
    for ending, texts in BODIES.items():
        put(repository, f"src/a.{ending}", texts[0].replace("take", "give"))
        put(repository, f"src/b_{ending}.{ending}", texts[0])
    commit("Move them", at="2026-01-09T00:00:00Z")
    rows = [(each["target"], each["state"], each["now"], each["evidence"]) for each in stated(cli).values()]
    assert rows == [(f"src/a.{each}::take", "moved", f"src/b_{each}.{each}::take", "parser") for each in names]


def test_what_is_only_called_is_no_longer_defined(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.ts", "export class Pool {\n  takeOne(n: number) {\n    return n\n  }\n}\n")
    put(repository, "src/b.ts", "const pool = make()\npool.list.map(\n  takeOne(1)\n)\n")
    says("`Pool.takeOne` and `takeOne()` hand out connections; `useEffect()` runs them.")
    commit("Begin")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}
    put(repository, "src/a.ts", "export class Pool {\n  takeMany(n: number) {\n    return n\n  }\n}\n")
    head = commit("Take many")
    git("commit", "--allow-empty", "-qm", "Nothing")
    found = stated(cli)
    assert {(each["state"], each["commit"], each["evidence"]) for each in found.values()} == {("gone", head, "parser")}


def test_a_method_is_gone_with_its_class(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "class Pool:\n    def total(self): ...\n\n\nclass Cart:\n    def total(self): ...\n")
    says("`Pool.total` counts connections, `Cart.total` the money.")
    commit("Begin")
    put(repository, "src/a.py", "class Cart:\n    def total(self): ...\n")
    head = commit("Drop the pool")
    rows = {each["target"]: (each["state"], each["commit"]) for each in stated(cli).values()}
    assert rows == {"Pool.total": ("gone", head), "Cart.total": ("fresh", None)}


def test_a_definition_that_no_pattern_knows_is_no_alarm(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.js", "function takeMany() {}\nclass Pool {\n  giveBack() {\n  }\n}\n")
    says("`takeMany()` and `Pool.giveBack` hand connections.")
    commit("Begin")
    put(
        repository,
        "src/a.js",
        "class Pool {}; Object.assign(Pool.prototype, {}); Pool.prototype.giveBack = () => 1; /**/ function takeMany() {}\n",
    )
    commit("Write it in one line")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}


@pytest.mark.usefixtures("without_grammars")
def test_without_the_extra_ctags_answers(cli: Cli, repository: Path) -> None:
    if ctags.program() is None:
        pytest.skip("ctags is not installed")
    put(repository, "src/a.go", BODIES["go"][0])
    says("`src/a.go::take` hands out connections.")
    commit("Begin")
    put(repository, "src/a.go", BODIES["go"][1])
    commit("Lay it out")
    [found] = stated(cli).values()
    assert found["evidence"] == "ctags"
    put(repository, "src/a.go", BODIES["go"][1].replace("return n", "return n + 1"))
    head = commit("Change it")
    ran = cli("verify")
    assert "its body changed; by ctags" in ran.out
    [found] = stated(cli).values()
    assert (found["state"], found["commit"]) == ("changed", head)


@pytest.mark.usefixtures("without_grammars", "without_ctags")
def test_without_both_the_patterns_answer(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.go", BODIES["go"][0])
    says("`src/a.go::take` hands out connections.", "`give_back()` takes them back.")
    put(repository, "src/b.js", "function give_back() {}\n")
    commit("Begin")
    assert {each["evidence"] for each in stated(cli).values()} == {"pattern"}
    put(repository, "src/b.js", "function send_back() {}\n")
    commit("Rename")
    ran = cli("verify")
    assert "give_back()" in ran.out
    assert "by pattern" in ran.out


def test_a_text_that_the_grammar_fails_on_is_left_to_patterns(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.js", "function take() { return 1 }\n<<<<<<< ours\nfunction give( {{{\n")
    says("`src/a.js::take` and `src/a.js::give` work.")
    commit("Begin")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}


HOSTILE = {
    "braces": (b"{" * 10_000_000, "js"),
    "nested": (b"function a(){" * 20_000 + b"}" * 20_000, "js"),
    "generics": (b"a<" * 100_000, "cs"),
    "no text": (bytes(range(256)) * 400, "rs"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_neither_crash_nor_hang(cli: Cli, repository: Path, name: str) -> None:
    text, ending = HOSTILE[name]
    place = repository / f"src/a.{ending}"
    place.parent.mkdir()
    place.write_bytes(b"function take() {}\n" + text)
    put(repository, "src/b.js", "function give() {}\n")
    says(f"`src/a.{ending}::take` works.", "`src/b.js::give` works.")
    commit("Begin")
    found = stated(cli)
    assert found["src/b.js::give"]["state"] == "fresh"
    assert found["src/b.js::give"]["evidence"] == "parser"
