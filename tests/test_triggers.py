"""Which prompts ask for an update of the memory bank, and which only have its words."""

import pytest

from memdown.acts.recall.triggers import asks_for_update, without_the_bank
from memdown.index.terms import prompt_terms

YES = (
    """
update memory bank
Update Memory Bank
UPDATE MEMORY BANK!
update the memory bank
update your memory bank
Update our memory bank.
please update the memory bank
Please update memory-bank
update memory_bank
update memorybank now
update the memory-bank folder
update the memory bank files
update all memory bank files
update all of the files in the memory bank
update the docs and the memory bank
update the whole memory bank before we stop
Great, that works. Now update the memory bank and commit.
Fix the login bug, then update the memory bank
ok - update memory bank
can you update the memory bank?
Could you please update your memory bank with what we did today?
would you mind, and update the memory bank
I want you to update the memory bank
you should update the memory bank
we need to update the memory bank
let's update the memory bank
Don't forget to update the memory bank
do not forget to update the memory bank!
why don't you update the memory bank?
Don't touch the code, update the memory bank.
Not now; first update the memory bank.
When you are done, update the memory bank.
once the tests pass update the memory bank
"update memory bank"
**update memory bank**
`umb`
refresh the memory bank
please refresh the documentation in the memory bank
Refresh your memory-bank please
sync memory bank
sync the memory bank with the code
synchronise the memory bank
bring the memory bank up to date
UMB
umb
Umb.
please umb
umb please
UMB!
UMB: the import is done
ok, UMB
run tests and umb
commit, then umb
/umb
do a UMB
the memory bank needs updating
the memory bank needs to be updated before we go on
**UMB**
documentation refresh
Documentation refresh please
do a documentation refresh
run a full documentation refresh, then stop
memory bank update
memory bank update please
do a quick memory bank update
time for a memory bank refresh
aktualisiere die memory bank
Memory Bank aktualisieren
actualiza el memory bank
mets à jour la memory bank
обнови memory bank
更新 memory bank
更新记忆库
update  the
memory bank
""".strip("\n")
    .replace("update  the\nmemory bank", "update  the\tmemory  bank")
    .split("\n")
)

NO = """
don't update the memory bank
Don’t update the memory bank yet
do not update memory bank
please do not update your memory bank now
never update the memory bank on your own
no need to update the memory bank
fix it without having to update the memory bank
you shouldn't update the memory bank
don't run the tests or update the memory bank
skip the step and don't umb
don't umb
no umb please
not UMB
how do I update the memory bank?
How often should one update the memory bank
what happens if you update the memory bank
what does UMB mean?
what is umb
why did you update the memory bank?
did you update the memory bank?
do you update the memory bank by yourself?
when should I update the memory bank?
should we update the memory bank?
explain how you update the memory bank
I'll update the memory bank myself
I will update the memory bank later
I already did update the memory bank
the hook should update the memory bank
the command to update the memory bank is slow
the phrase "update memory bank" is not recognised
make "UMB" a trigger
rename the `update memory bank` button
`umb` is printed twice
> update the memory bank
update the memory bank parser
update the memory bank tests
update the memory bank server to 2.0
refresh the memory bank page when a file changes
update the memory bank hooks
the memory bank update failed
after updating the memory bank the tests fail
you updated the memory bank twice
the memory bank is out of date
read the memory bank
update the README
update memory usage of the worker
update the bank account form
open umb.py
look at src/umb/main.c
the umb_test fails
UMB-123 is still open
call umb() twice
umbrella
add an umbrella header
the UMB hook does not run
UMB Financial rose
refresh the documentation site's cache
the documentation refreshes itself
write documentation
thumb
where is the memory bank?
""".strip("\n").split("\n")

FENCED = """Why is this wrong?

```
update the memory bank
UMB
```
"""


@pytest.mark.parametrize("prompt", YES)
def test_asks(prompt: str) -> None:
    assert asks_for_update(prompt)


@pytest.mark.parametrize("prompt", [*NO, FENCED, "<!-- UMB -->", "~~~\nUMB", ""])
def test_does_not_ask(prompt: str) -> None:
    assert not asks_for_update(prompt)


def test_a_long_prompt_takes_no_time() -> None:
    # Each of these made some pattern start anew at every character once.
    for piece in ("update the ", "```", "` ", "memory bank ", "don't ", '"umb', "umb, ", "    "):
        asks_for_update(piece * 20_000)


@pytest.mark.parametrize("prompt", YES)
def test_what_asks_for_an_update_is_nothing_to_recall_by(prompt: str) -> None:
    left = {each.shown for each in prompt_terms(without_the_bank(prompt))}
    assert left <= {"login", "today", "touch", "pass", "import"}  # what some of them say besides


@pytest.mark.parametrize("prompt", ["read the memory bank", "check the memory-bank files", "is the memory bank there?"])
def test_where_records_are_is_not_what_they_are_about(prompt: str) -> None:
    assert not prompt_terms(without_the_bank(prompt))


@pytest.mark.parametrize(
    "prompt",
    ["fix the memory bank parser", "how does the memory bank know?", "see memory-bank/progress.md", "bank fees"],
)
def test_what_is_called_so_is_still_asked_about(prompt: str) -> None:
    assert without_the_bank(prompt) == prompt
