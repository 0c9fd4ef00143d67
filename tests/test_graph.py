"""How memory hangs together: nodes, typed edges, rows for drawing, pictures."""

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from conftest import Ran
from memdown.acts.graph import Graph, GraphEdge, GraphNode, build, layers
from memdown.record import Link, Record
from memdown.surfaces.show import diagrams
from memdown.text import Span
from samples import put

Cli = Callable[..., Ran]
FILES = {"src/app.py", "Makefile", "docs/plan.md"}


def record(
    id: str, body: str = "", *links: Link, kind: str = "task", title: str | None = None, scope: str | None = None
) -> Record:
    return Record(
        id=id,
        dialect="journal",
        kind=kind,
        path="memory-bank/tasks.md",
        span=Span(0, 1),
        line=1,
        end_line=1,
        title=title or f"Title of {id}",
        body=body,
        links=links,
        scope=scope,
    )


def edges(*records: Record) -> list[tuple[str, str, str]]:
    return [(edge.source, edge.type, edge.target) for edge in build(records, FILES.__contains__).edges]


def test_links_are_edges_of_their_type() -> None:
    assert edges(record("T1"), record("T2", "", Link("depends", "T1"))) == [("T2", "depends", "T1")]


def test_an_id_in_a_text_is_a_mention() -> None:
    assert edges(record("T1"), record("T2", "Blocked by T1, see T1.")) == [("T2", "mentions", "T1")]


def test_a_file_of_the_project_in_a_text_is_a_mention_and_other_words_are_not() -> None:
    assert edges(record("T1", "Edit `src/app.py`, not and/or e.g. app.js.")) == [("T1", "mentions", "src/app.py")]


def test_a_scope_may_name_a_file() -> None:
    assert edges(record("T1", scope="file:src/app.py")) == [("T1", "file", "src/app.py")]


def test_a_mention_adds_nothing_where_a_link_is() -> None:
    assert edges(record("T1"), record("T2", "After T1.", Link("depends", "T1"))) == [("T2", "depends", "T1")]


def test_what_is_outside_of_the_project_is_not_missing(cli: Cli) -> None:
    put(
        Path(),
        ".squad/decisions.md",
        "# Decisions\n\n### 2026-01-01: Use Redis\n**By:** Ann\n**Issue:** #18\n**PR:** https://example.com/pull/9\n",
    )
    kinds = {each["id"]: each["kind"] for each in cli("graph", "--json").json()["nodes"]}
    assert (kinds["#18"], kinds["https://example.com/pull/9"]) == ("external", "external")
    told = cli("graph").out
    assert re.match(r"[0-9a-f]{8} Use Redis --issue-> #18\n", told)
    assert told.endswith("3 nodes, 2 edges\n")


def test_a_link_that_leads_nowhere_leads_to_a_missing_node() -> None:
    graph = build([record("T2", "", Link("depends", "T9"))], FILES.__contains__)
    assert graph.missing() == [GraphEdge("depends", "T2", "T9")]
    assert graph.nodes[-1] == GraphNode("T9", "missing", "T9")


def test_the_part_around_a_node() -> None:
    chain = [record("T1"), *(record(f"T{n}", "", Link("depends", f"T{n - 1}")) for n in range(2, 6))]
    graph = build(chain, FILES.__contains__)
    assert [node.id for node in graph.around("T3", 1).nodes] == ["T2", "T3", "T4"]
    assert [node.id for node in graph.around("T9", 3).nodes] == []


def test_nodes_without_edges_can_be_left_out() -> None:
    graph = build([record("T1"), record("T2"), record("T3", "See T1.")], FILES.__contains__)
    assert [node.id for node in graph.linked().nodes] == ["T1", "T3"]


def test_rows_go_down_along_the_edges() -> None:
    assert layers("abcd", [("a", "b"), ("b", "c"), ("a", "c")]) == [["a", "d"], ["b"], ["c"]]


def test_a_ring_is_cut_where_it_closes() -> None:
    assert layers("abc", [("a", "b"), ("b", "c"), ("c", "a")]) == [["a"], ["b"], ["c"]]


NODES = st.sampled_from("abcdefgh")


@given(st.lists(st.tuples(NODES, NODES), max_size=30))
def test_every_node_stands_in_one_row(pairs: list[tuple[str, str]]) -> None:
    rows = layers("abcdefgh", pairs)
    assert sorted(node for row in rows for node in row) == list("abcdefgh")


def test_ten_thousand_nodes_in_a_chain_are_no_recursion() -> None:
    names = [str(number) for number in range(10_000)]
    assert len(layers(names, itertools.pairwise(names))) == 10_000


def test_mermaid_text() -> None:
    graph = build([record("T1"), record("T2", "", Link("depends", "T1"))], FILES.__contains__)
    assert diagrams.mermaid(graph) == (
        'graph TD\n    n0("T1: Title of T1")\n    n1("T2: Title of T2")\n    n1 -->|depends| n0\n'
    )


def test_nothing_in_a_title_means_more_than_itself() -> None:
    graph = Graph([GraphNode("T1", "task", 'x"]; click n0 "javascript:alert(1)" <b>')], [])
    [_, line] = diagrams.mermaid(graph).splitlines()
    assert line.count('"') == 2
    assert "<" not in line


def test_the_picture_is_xml_and_names_every_node() -> None:
    graph = build(
        [record("T1", "<script>&\x00"), record("T2", "", Link("depends", "T1"), Link("depends", "T7"))],
        FILES.__contains__,
    )
    picture = diagrams.svg(graph, 'Tasks & "more"')
    told = "".join(ElementTree.fromstring(picture).itertext())
    assert "Title of T1" in told
    assert "T7" in told
    assert "<script" not in picture


def test_of_a_large_graph_the_best_linked_nodes_are_drawn() -> None:
    hub = record("T0")
    rest = [record(f"T{n}", "", *([Link("depends", "T0")] if n < 150 else [])) for n in range(1, 400)]
    seen, left_out = diagrams.visible_part(build([hub, *rest], FILES.__contains__))
    assert left_out == 200
    assert len(seen.edges) == 149
