"""What a line of a shell commits with git, as far as a hook has to know it: quotes are not followed."""

_LONGEST = 20_000
_ENDS = str.maketrans(dict.fromkeys(";&|()\n", " ; "))
_TAKES_NEXT = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")
_STAGING = ("add", "stage")


def commits(line: str) -> str:
    """`index` for a line that commits what is staged, `files` for one that stages first; nothing for any other."""
    staged = False
    for command in _commands(line):
        staged = staged or command[0] in _STAGING
        if command[0] == "commit":
            return "files" if staged or any(map(_is_all, command)) else "index"
    return ""


def _commands(line: str) -> list[list[str]]:
    """The subcommands of git in a line, each with its arguments."""
    found, words = [], line[:_LONGEST].translate(_ENDS).split()
    command: list[str] | None = None
    takes = False
    for word in words:
        if word == ";":
            command = None
        elif command:
            command.append(word)
        elif word.replace("\\", "/").rpartition("/")[2] in ("git", "git.exe"):
            command, takes = [], False
        elif command is not None and takes:
            takes = False
        elif command is not None and word.startswith("-"):
            takes = word in _TAKES_NEXT
        elif command is not None:
            command.append(word)
            found.append(command)
    return found


def _is_all(word: str) -> bool:
    return word == "--all" or (word[:1] == "-" and word[1:2] != "-" and "a" in word.partition("m")[0])
