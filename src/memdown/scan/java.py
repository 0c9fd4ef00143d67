"""Java and Kotlin: Maven's pom.xml; Gradle's build files, version catalogue, wrapper and lock file."""

import re
from collections.abc import Iterator

from memdown.markdown.formats import Element, at, read_toml, read_xml, table, word
from memdown.patterns import lazy
from memdown.scan.model import (
    Fact,
    Library,
    ScanResult,
    above,
    add,
    beside,
    clean,
    folder_of,
    library,
    manifests,
    nearest_to_root,
    tidy,
    typed_in,
    without,
)
from memdown.store.tree import Tree

_PROPERTY = lazy(r"\$\{([^{}]+)\}")
_JAVA_VERSION = ("java.version", "maven.compiler.release", "maven.compiler.source")
_CONFIGURATIONS = {
    "api": "runtime",
    "implementation": "runtime",
    "compileOnly": "runtime",
    "runtimeOnly": "runtime",
    "kapt": "development",
    "annotationProcessor": "development",
    "developmentOnly": "development",
    "testImplementation": "development",
    "testRuntimeOnly": "development",
    "androidTestImplementation": "development",
}
# These read lines that `tidy` has been over: white space is one space, and there is at most one.
_DEPENDENCY = lazy(
    rf"^({'|'.join(_CONFIGURATIONS)}) ?\(? ?(?:platform\( ?)?(?:[\"']([\w.\-]+):([\w.\-]+)(?::([^\"'\n]+))?[\"']"
    r"|libs\.([\w.]+))",
    re.M,
)
_PLUGIN = lazy(r"""\bid ?\(? ?["']([\w.-]+)["'] ?\)? ?version ?\(?["']([\w.-]+)["']""")
_KOTLIN_PLUGIN = lazy(r"""\bkotlin\(["'](\w+)["']\) ?version ?["']([\w.-]+)["']""")
_JAVA = lazy(
    r"""(?:JavaLanguageVersion\.of|jvmToolchain) ?\( ?["']?(\d+)|sourceCompatibility ?= ?[^\d\n]{0,25}?([\d._]+)"""
)


def look(tree: Tree) -> ScanResult:
    found = ScanResult()
    poms = manifests(tree, "pom.xml")
    for name in poms:
        root = tree.data(name, read_xml)
        if root is not None and root.name == "project":
            _pom(name, root, found)
    for name in nearest_to_root(poms):
        maven = "./mvnw" if beside(name, "mvnw") in tree else "mvn"
        add(found.steps, typed_in(name, f"{maven} install -DskipTests"), name)
        add(found.commands, typed_in(name, f"{maven} package"), name, "build")
        add(found.commands, typed_in(name, f"{maven} test"), name, "test")
    builds = manifests(tree, "build.gradle", "build.gradle.kts")
    for name in builds:
        _gradle(tree, name, found)
    for name in nearest_to_root(builds):
        _gradle_commands(tree, name, found)
    return found


# Maven


def _pom(name: str, root: Element, found: ScanResult) -> None:
    properties = {child.name: child.text.strip() for each in root.all("properties") for child in each.children}

    def value(*path: str) -> str:
        return _PROPERTY.sub(lambda match: properties.get(match[1], match[0]), root.value(*path))

    title = value("artifactId")
    add(found.names, title, name)
    add(found.members, title, name, "Maven module")
    add(found.summaries, value("description"), name)
    add(found.licences, value("licenses", "license", "name"), name)
    version = next((properties[key] for key in _JAVA_VERSION if properties.get(key)), "")
    if not _PROPERTY.search(version):
        add(found.requirements, version, name, "Java")
    if value("parent", "artifactId").startswith("spring-boot"):
        found.libraries.append(Library("spring-boot", clean(value("parent", "version"), 60), name))
    managed = {
        _coordinate(each): each.value("version")
        for each in root.all("dependencyManagement", "dependencies", "dependency")
    }
    for each in root.all("dependencies", "dependency"):
        required = each.value("version") or managed.get(_coordinate(each), "")
        shown = _PROPERTY.sub(lambda match: properties.get(match[1], match[0]), required)
        use = "development" if each.value("scope") == "test" else "runtime"
        version = "" if _PROPERTY.search(shown) else shown
        if each.value("artifactId"):
            found.libraries.append(Library(clean(_coordinate(each), 100), clean(version, 60), name, use))
    plugins = {each.value("artifactId") for each in root.all("build", "plugins", "plugin")}
    if "spring-boot-maven-plugin" in plugins:
        add(found.commands, typed_in(name, "mvn spring-boot:run"), name, "dev")
    if "maven-checkstyle-plugin" in plugins:
        add(found.commands, typed_in(name, "mvn checkstyle:check"), name, "lint")


def _coordinate(element: Element) -> str:
    return f"{element.value('groupId')}:{element.value('artifactId')}"


# Gradle


def _gradle(tree: Tree, name: str, found: ScanResult) -> None:
    text = _without_comments(tree.text(name) or "")
    settings = next((each for end in ("", ".kts") if (each := beside(name, f"settings.gradle{end}")) in tree), None)
    declared = (
        re.search(r"""rootProject\.name ?= ?["']([^"'\n]+)["']""", tidy(tree.text(settings) or ""))
        if settings
        else None
    )
    title = declared[1] if declared else folder_of(name).rpartition("/")[2]
    if declared and settings:
        add(found.names, title, settings)
    add(found.members, title, name, "Gradle project")
    described = re.search(r"""^description ?= ?["']([^"'\n]+)["']""", text, re.M)
    add(found.summaries, described[1] if described else "", name)
    java = _JAVA.search(text)
    add(found.requirements, ((java[1] or java[2]).replace("_", ".").strip(".") if java else ""), name, "Java")
    for plugin, version in _PLUGIN.findall(text):
        found.libraries.append(
            Library(clean(plugin, 100), version, name, "runtime" if "boot" in plugin else "development")
        )
    for _, version in _KOTLIN_PLUGIN.findall(text)[:1]:
        add(found.requirements, version, name, "Kotlin")
    lock = above(tree, name, "gradle.lockfile")
    locked = dict(_gradle_locked(tree, lock)) if lock else {}
    catalogue = above(tree, name, "gradle/libs.versions.toml")
    known = _catalogue(tree, catalogue) if catalogue else {}
    for configuration, group, artifact, version, accessor in _DEPENDENCY.findall(text):
        coordinate, source = f"{group}:{artifact}", name
        if accessor:
            coordinate, version = known.get(accessor, ("", ""))
            source = catalogue or name
        if "$" in version:
            version = _value_of(text, version)
        if coordinate:
            found.libraries.append(library(coordinate, version, source, locked, lock, _CONFIGURATIONS[configuration]))


def _value_of(text: str, reference: str) -> str:
    """What a variable of the build file is set to there; nothing when it is set elsewhere."""
    name = re.fullmatch(r"\$\{?([\w.]+)\}?", reference)
    last = name[1].rpartition(".")[2] if name else ""
    found = re.search(rf"""\b{last} ?= ?["']([\w.-]+)["']""", text) if last else None
    return found[1] if found else ""


def _gradle_commands(tree: Tree, name: str, found: ScanResult) -> None:
    wrapper = beside(name, "gradle/wrapper/gradle-wrapper.properties")
    gradle = "./gradlew" if beside(name, "gradlew") in tree else "gradle"
    add(found.commands, typed_in(name, f"{gradle} build"), name, "build")
    add(found.commands, typed_in(name, f"{gradle} test"), name, "test")
    version = re.search(r"gradle-([\d.]+)-(?:bin|all)\.zip", tree.text(wrapper) or "") if wrapper in tree else None
    add(found.requirements, version[1] if version else "", wrapper, "Gradle")
    text = _without_comments(tree.text(name) or "")
    if "org.springframework.boot" in text:
        add(found.commands, typed_in(name, f"{gradle} bootRun"), name, "dev")
    if re.search(r"""\bcheckstyle\b|["']checkstyle["']""", text):
        add(found.commands, typed_in(name, f"{gradle} checkstyleMain"), name, "lint")
    settings = next((each for end in ("", ".kts") if (each := beside(name, f"settings.gradle{end}")) in tree), None)
    for inner in re.findall(r"""["'](:?[\w.:-]+)["']""", _includes(tree.text(settings) or "")) if settings else ():
        found.members.append(Fact(clean(inner.lstrip(":")), settings or name, "Gradle project"))


def _includes(text: str) -> str:
    return "\n".join(re.findall(r"^include ?\(?([^()\n]*(?:,\n[^()\n]*)*)", _without_comments(text), re.M))


def _without_comments(text: str) -> str:
    return re.sub(r"^//[^\n]*", "", tidy(without(text, "/*", "*/")), flags=re.M)


def _gradle_locked(tree: Tree, lock: str) -> Iterator[tuple[str, str]]:
    for line in (tree.text(lock) or "").split("\n"):
        group, _, rest = line.partition("=")[0].partition(":")
        artifact, _, version = rest.partition(":")
        if artifact and version:
            yield f"{group}:{artifact}", version


def _catalogue(tree: Tree, name: str) -> dict[str, tuple[str, str]]:
    """Libraries of a version catalogue, by the name build files call them."""
    data = tree.data(name, read_toml)
    found = {}
    for alias, entry in table(data, "libraries").items():
        parts = (word(entry) or word(entry, "module")).split(":")
        if len(parts) < 2:
            parts = [word(entry, "group"), word(entry, "name")]
        named = word(entry, "version", "ref")
        version = word(entry, "version") or word(at(data, "versions"), named) or (parts[2] if len(parts) > 2 else "")
        found[re.sub(r"[-_]", ".", alias)] = (f"{parts[0]}:{parts[1]}", version)
    return found
