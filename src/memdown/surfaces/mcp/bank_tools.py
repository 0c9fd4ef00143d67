"""The seven tools of a memory bank: what each does with memory."""

from memdown.acts import projects
from memdown.memory.bank.files import BankFiles, Saved
from memdown.memory.bank.setup import Setup
from memdown.surfaces.mcp.session import McpSession
from memdown.surfaces.mcp.wire import Json

Args = dict[str, str]


def initialize(session: McpSession, args: Args) -> Json:
    memory = session.memory(args["projectPath"], new=True)
    begun = Setup(memory).begin(args.get("brief"))
    session.log_notes(memory)
    notes = list(begun.beside)
    if "brief" in args and begun.brief:
        notes.append(f"The brief was not written: {begun.brief} exists; memory_bank_update changes it.")
    if begun.left_out:
        notes.append(f"Not in this layout: {', '.join(begun.left_out)}; memory_bank_write creates them.")
    return {"created": begun.created, "kept": begun.kept, "notes": notes}


def list_projects(session: McpSession, _: Args) -> Json:
    def skipped(sentence: str) -> None:
        session.log("warning", f"{sentence}.")

    own = filter(None, [session.own_project()])
    found = [*projects.listed(skipped=skipped), *own, *projects.packages_with_bank(session.own, skipped=skipped)]
    once = {each.path: each for each in reversed(found)}
    return {"projects": [{"name": each.name, "path": each.path} for each in found if once[each.path] is each]}


def read(session: McpSession, args: Args) -> Json:
    found = _files(session, args).read(args["fileName"])
    return {"content": found.content, "lastModified": found.modified, "hash": found.hash, "path": found.path}


def write(session: McpSession, args: Args) -> Json:
    memory = session.memory(args["projectPath"])
    memory.require("bank", "journal")
    return _saved(BankFiles(memory).write(args["fileName"], args["content"]))


def update(session: McpSession, args: Args) -> Json:
    files = _files(session, args)
    force = bool(args.get("force"))
    return _saved(files.replace(args["fileName"], args["content"], expected=args.get("expectedHash"), force=force))


def list_files(session: McpSession, args: Args) -> Json:
    listed = _files(session, args).listed()
    return {"files": [{"name": each.name, "size": each.size, "lastModified": each.modified} for each in listed]}


def validate(session: McpSession, args: Args) -> Json:
    found = session.memory(args["projectPath"]).bank.validate()
    return {
        "valid": found.valid,
        "missingRequired": found.missing_required,
        "missingRecommended": found.missing_recommended,
    }


def _files(session: McpSession, args: Args) -> BankFiles:
    return BankFiles(session.memory(args["projectPath"]))


def _saved(saved: Saved) -> Json:
    return {"success": True, "path": saved.path, "hash": saved.hash}
