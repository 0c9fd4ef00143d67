"""JSON of other tools edited in place: what is put in can be taken out again to the byte."""

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.markdown import jsonc
from memdown.markdown.jsonc import BrokenJson, Plain

SERVER: dict[str, Plain] = {"command": "memdown", "args": ["mcp"]}
WRITTEN = '"memdown": {\n      "command": "memdown",\n      "args": ["mcp"]\n    }'


def put(text: str, value: dict[str, Plain] = SERVER) -> str:
    return jsonc.add(text, ("servers",), "memdown", value)


def take(text: str, path: tuple[str, ...] = ("servers",)) -> str | None:
    member = jsonc.member_of(jsonc.find(jsonc.scan(text), path)[-1], "memdown")
    assert member
    return jsonc.remove(text, path, member)


def test_a_member_joins_others_in_their_way_of_writing() -> None:
    text = '{\n  "servers": {\n    "other": {"command": "x"}\n  },\n  "inputs": []\n}\n'
    assert put(text) == text.replace('"x"}', f'"x"}},\n    {WRITTEN}')


def test_missing_objects_are_made() -> None:
    assert put('{\n  "a": 1\n}\n') == '{\n  "a": 1,\n  "servers": {\n    ' + WRITTEN + "\n  }\n}\n"


def test_an_element_joins_a_list() -> None:
    text = '{"hooks": {"Stop": [{"a": 1}]}}'
    assert jsonc.add(text, ("hooks", "Stop"), None, {"b": 2}) == '{"hooks": {"Stop": [{"a": 1}, { "b": 2 }]}}'


def test_one_line_stays_one_line() -> None:
    assert put('{"a":1}') == '{"a":1,"servers": { "memdown": { "command": "memdown", "args": ["mcp"] } }}'


def test_tabs_and_carriage_returns_are_kept() -> None:
    text = '{\r\n\t"servers": {\r\n\t\t"a": {}\r\n\t}\r\n}\r\n'
    new = put(text)
    assert '\r\n\t\t"memdown": {\r\n\t\t\t"command"' in new
    assert new.count("\n") == new.count("\r\n")


def test_comments_stay_with_what_they_are_about() -> None:
    text = '{\n  "servers": {\n    "a": {} // about a\n    // the last word\n  }\n}\n'
    assert '"a": {}, // about a\n    // the last word\n    "memdown"' in put(text)


def test_a_trailing_comma_stays_the_habit() -> None:
    text = '{\n  "servers": {\n    "a": {},\n  },\n}\n'
    assert put(text) == text.replace('"a": {},', f'"a": {{}},\n    {WRITTEN},')


def test_a_comment_at_the_end_of_one_line_does_not_swallow_what_comes() -> None:
    new = put('{"servers":{"a":{} // note  \n}}')
    assert jsonc.plain(new, jsonc.scan(new)) == {"servers": {"a": {}, "memdown": SERVER}}


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{}\n",
        "{\n}\n",
        "{ }",
        "\ufeff{}",
        '{"servers":{}}',
        '{"servers": {\n  }\n}\n',
        '{ "servers" : { } , }',
        '{"servers":{"a":1,},}',
        "{ /* nothing yet */ }",
        "{ // nothing yet\n}",
        '{"a":1 /* one */}',
        '{"a":1 // one   \n}',
        '{\r\n\t"a": [1, 2, [], {}],\r\n\t"servers": {"x": null}\r\n}',
        '// head\n{\n  "servers": {\n    // none\n  }\n}\n// foot\n',
        '{"servers": {"memdownish": 1}, "servers": {"b": 2}}',
    ],
)
def test_putting_in_and_taking_out_is_nothing(text: str) -> None:
    assert take(put(text)) == text


def test_what_was_made_for_a_member_goes_with_it() -> None:
    made = jsonc.new(("servers",), "memdown", SERVER)
    assert json.loads(made) == {"servers": {"memdown": SERVER}}
    assert take(made) is None


def test_what_others_added_to_what_was_made_stays() -> None:
    made = jsonc.new(("servers",), "memdown", SERVER)
    grown = made.replace("\n    }\n", '\n    },\n    "other": {}\n')
    assert jsonc.plain(grown, jsonc.scan(grown)) == {"servers": {"memdown": SERVER, "other": {}}}
    left = take(grown)
    assert left is not None
    assert json.loads(left) == {"servers": {"other": {}}}
    noted = made.replace('"servers": {', '"servers": { // ours')
    assert "// ours" in (take(noted) or "")


def test_a_value_is_replaced_where_it_stands() -> None:
    text = '{\n  // first\n  "servers": {\n    "memdown": {"command": "old"}, // mine\n    "b": 1\n  }\n}\n'
    member = jsonc.member_of(jsonc.find(jsonc.scan(text), ("servers",))[-1], "memdown")
    assert member
    assert jsonc.replace(text, member.value, SERVER) == text.replace('"memdown": {"command": "old"}', WRITTEN)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1, column 1: a value is expected"),
        ("[]", "line 1, column 1: an object is expected"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: a comma or the closing bracket is expected"),
        ('{"a": }', "line 1, column 7: a value is expected"),
        ('{"a" 1}', "line 1, column 6: a colon is expected"),
        ("{a: 1}", "line 1, column 2: a key in double quotes is expected"),
        ('{"a": 1', "line 1, column 8: a comma or the closing bracket is expected"),
        ('{"a": 01}', "line 1, column 7: a value is expected"),
        ('{"a": "x\ny"}', "line 1, column 7: a value is expected"),
        ('{"a": 1} x', "line 1, column 10: nothing may follow the last bracket"),
        ("{ /* no end }", "line 1, column 3: a comment has no end"),
        ('{"a": [1}', "line 1, column 9: a comma or the closing bracket is expected"),
        ("{,}", "line 1, column 2: a key in double quotes is expected"),
        ('{"a":' * 100, "line 1, column 321: it is nested too deep"),
        ('{"a": "' + "x" * 250_000 + '"}', "it has more than 250,000 characters, which settings do not have"),
    ],
)
def test_what_is_not_json_is_told_with_its_place(text: str, why: str) -> None:
    with pytest.raises(BrokenJson, match=f"^{re.escape(why)}$"):
        jsonc.scan(text)


@pytest.mark.parametrize("value", ["null", "[]", '"x"', "1"])
def test_a_value_of_another_kind_on_the_way_is_told(value: str) -> None:
    with pytest.raises(BrokenJson, match="servers is not an object"):
        put(f'{{"servers": {value}}}')
    with pytest.raises(BrokenJson, match=r"hooks\.Stop is not a list"):
        jsonc.add('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), None, {})


@pytest.mark.parametrize(
    "text",
    [
        "{" + " " * 240_000,
        '{"a": "' + "\\" * 240_000,
        '{"a":' + "[" * 240_000,
        "{" + "/*/" * 80_000,
        "{" + "//\n" * 80_000,
        '{"a":' + "1" * 240_000,
        '{"a":[' + "0," * 120_000,
    ],
)
@pytest.mark.timeout(20)
def test_hostile_texts_end_soon(text: str) -> None:
    with pytest.raises(BrokenJson):
        jsonc.scan(text)


# Properties

SCALARS = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=8)
KEYS = st.sampled_from(["hooks", "servers", "Stop", "memdownish", "a", 'quo"ted', "ü", ""])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)
TRIVIA = st.sampled_from(
    ["", "", "", " ", "\n", "\n  ", "\r\n\t", "  \n\n", " /* { */ ", " // }, \n", "/**/", "//\r\n"]
)


@st.composite
def jsonc_texts(draw: st.DrawFn) -> str:
    """An object with white space, comments and trailing commas wherever they may be."""
    root = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    pretty = draw(st.sampled_from(["wild", "wild", None, 2, 4, "\t"]))
    if pretty != "wild":
        text = json.dumps(root, indent=pretty, ensure_ascii=draw(st.booleans()))
    else:
        text = _wild(root, lambda: draw(TRIVIA), lambda: draw(st.booleans()))
    text = text.replace("\n", "\r\n") if draw(st.booleans()) and "\r" not in text else text
    return (
        draw(st.sampled_from(["", "\ufeff", "// top\n", "\n"]))
        + text
        + draw(st.sampled_from(["", "\n", "\r\n", " // end"]))
    )


def _wild(value: object, gap: Callable[[], str], toss: Callable[[], bool]) -> str:
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}{gap()}:{gap()}{_wild(each, gap, toss)}" for key, each in value.items()]
    elif isinstance(value, list):
        parts = [_wild(each, gap, toss) for each in value]
    else:
        return json.dumps(value)
    inside = ",".join(gap() + part + gap() for part in parts) + ("," if parts and toss() else "") + gap()
    return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"


PATHS = st.sampled_from([("servers",), ("hooks", "Stop"), ("a", "b", "c"), ()])


@given(jsonc_texts(), PATHS)
def test_a_member_comes_and_goes(text: str, path: tuple[str, ...]) -> None:
    before = jsonc.plain(text, jsonc.scan(text))
    try:
        new = jsonc.add(text, path, "memdown", SERVER)
    except BrokenJson:
        return  # something else stands on the way
    after = jsonc.plain(new, jsonc.scan(new))
    assert isinstance(after, dict)
    expected: Plain = after
    for key in path:
        assert isinstance(expected, dict)
        expected = expected[key]
    assert isinstance(expected, dict)
    assert expected["memdown"] == SERVER
    assert take(new, path) == text
    assert before == jsonc.plain(text, jsonc.scan(text))


@given(jsonc_texts(), st.lists(st.sampled_from(["Stop", "PreCompact", "a"]), min_size=1, max_size=5))
def test_elements_come_and_go_in_reverse(text: str, events: list[str]) -> None:
    texts = [text]
    try:
        for number, event in enumerate(events):
            texts.append(jsonc.add(texts[-1], ("hooks", event), None, {"ours": number}))
    except BrokenJson:
        return
    for number, event in reversed(list(enumerate(events))):
        now = texts.pop()
        node = jsonc.find(jsonc.scan(now), ("hooks", event))[-1]
        member = next(each for each in node.members if jsonc.plain(now, each.value) == {"ours": number})
        assert jsonc.remove(now, ("hooks", event), member) == texts[-1]


@given(st.text(alphabet='{}[]",:/*\\ \n\r\t1atrue', max_size=40))
def test_any_text_is_read_or_told(text: str) -> None:
    try:
        root = jsonc.scan(text)
    except BrokenJson:
        return
    assert isinstance(jsonc.plain(text, root), dict)


@given(st.text(alphabet='{}[]",:\\ \n1ae-.0', max_size=30))
def test_what_python_takes_for_an_object_is_read_the_same(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        return
    if isinstance(expected, dict):
        assert jsonc.plain(text, jsonc.scan(text)) == expected
