"""The scan of a code base: what the manifests of each ecosystem say, with the file each fact is from."""

import json
from pathlib import Path

from scanning import Files, look, patterns, tech

PYTHON: Files = {
    "pyproject.toml": """\
[project]
name = "todo"
description = "Todo items over HTTP."
requires-python = ">=3.11"
license = "MIT"
dependencies = ["fastapi>=0.110", "SQLAlchemy[asyncio] ~= 2.0", "psycopg; sys_platform != 'win32'", "own @ https://x/y.zip"]
[project.optional-dependencies]
dev = ["pytest>=8"]
redis = ["redis>=5"]
[project.scripts]
todo = "todo.cli:main"
[build-system]
build-backend = "hatchling.build"
[tool.pytest.ini_options]
[tool.ruff]
line-length = 100
[tool.mypy]
strict = true
""",
    "uv.lock": '[[package]]\nname = "fastapi"\nversion = "0.111.0"\n\n[[package]]\nname = "sqlalchemy"\nversion = "2.0.30"\ndependencies = [\n    { name = "greenlet", version = "9" },\n]\n\n[[package]]\nname = "pytest"\nversion = "8.2.0"\n',
    "src/todo/cli.py": "",
    "tests/test_cli.py": "",
}


def test_python(tmp_path: Path) -> None:
    assert tech(tmp_path, PYTHON, "Frameworks") == ["- fastapi: 0.111.0 — web framework for APIs (uv.lock)"]
    assert tech(tmp_path, PYTHON, "Databases") == ["- PostgreSQL — through psycopg (pyproject.toml)"]
    assert tech(tmp_path, PYTHON, "Key Libraries") == [
        "- SQLAlchemy: 2.0.30 — database toolkit (uv.lock)",
        "- own (pyproject.toml)",
        "- pytest: 8.2.0 — tests, development only (uv.lock)",
    ]
    assert tech(tmp_path, PYTHON, "Build Commands") == [
        "- **Build**: `python -m build` (pyproject.toml)",
        "- **Test**: `pytest` (pyproject.toml)",
        "- **Lint**: `ruff check` (pyproject.toml)",
    ]
    assert tech(tmp_path, PYTHON, "Development Environment Setup") == ["1. `uv sync` (uv.lock)"]
    assert tech(tmp_path, PYTHON, "Languages") == ["- Python: >=3.11 (pyproject.toml) — 100% of 2 code files"]
    assert tech(tmp_path, PYTHON, "Version Requirements") == ["- Python: >=3.11 (pyproject.toml)"]
    assert patterns(tmp_path, PYTHON, "Architecture Overview").startswith("Python package `todo` (pyproject.toml).")
    assert "`todo` starts `todo.cli:main` (pyproject.toml)" in patterns(tmp_path, PYTHON, "Architecture Overview")
    assert "Linted with ruff, line length 100" in patterns(tmp_path, PYTHON, "Coding Conventions")


def test_a_package_locked_in_two_versions_names_both(tmp_path: Path) -> None:
    lock = "".join(f'[[package]]\nname = "click"\nversion = "{version}"\n' for version in ("8.1.8", "8.3.1"))
    files = {"pyproject.toml": '[project]\nname = "x"\ndependencies = ["click"]\n', "uv.lock": lock}
    assert tech(tmp_path, files, "Key Libraries") == ["- click: 8.1.8 or 8.3.1 — command line (uv.lock)"]


def test_poetry(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[tool.poetry]\nname = "shop"\n[tool.poetry.dependencies]\npython = "^3.10"\nflask = "^3.0"\n'
        'rich = {version = "13.7.0", optional = true}\n[tool.poetry.group.dev.dependencies]\nmypy = "*"\n',
        "poetry.lock": '[[package]]\nname = "flask"\nversion = "3.0.3"\n',
    }
    found = look(tmp_path, files).found
    assert [(each.name, each.version, each.source, each.use) for each in found.libraries] == [
        ("flask", "3.0.3", "poetry.lock", "runtime"),
        ("rich", "13.7.0", "pyproject.toml", "optional"),
        ("mypy", "", "pyproject.toml", "development"),
    ]
    assert [(fact.name, fact.value) for fact in found.requirements] == [("Python", "^3.10")]
    assert [fact.value for fact in found.steps] == ["poetry install"]


def test_requirements_setup_cfg_and_pipfile(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "# pinned\nDjango==5.0.6\n-r other.txt\nrequests >= 2.31 ; python_version > '3'\n-e .\n",
        "requirements-dev.txt": "pytest==8.2.0  # tests\n",
        "setup.cfg": "[metadata]\nname = site\n[options]\npython_requires = >=3.9\ninstall_requires =\n  attrs>=23\n",
        "api/Pipfile": '[packages]\nredis = "*"\n[requires]\npython_version = "3.12"\n',
        "api/Pipfile.lock": '{"default": {"redis": {"version": "==5.0.4"}}}',
        "manage.py": "import django",
    }
    found = look(tmp_path, files).found
    assert {(each.name, each.version, each.use) for each in found.libraries} == {
        ("Django", "5.0.6", "runtime"),
        ("requests", ">= 2.31", "runtime"),
        ("pytest", "8.2.0", "development"),
        ("attrs", ">=23", "runtime"),
        ("redis", "5.0.4", "runtime"),
    }
    assert [fact.value for fact in found.steps] == ["cd api && pipenv sync", "pip install -r requirements.txt"]
    assert ("dev", "python manage.py runserver") in [(fact.name, fact.value) for fact in found.commands]


NODE: Files = {
    "package.json": json.dumps(
        {
            "name": "web",
            "description": "A web shop.",
            "license": "ISC",
            "engines": {"node": ">=20"},
            "bin": {"shop": "bin/shop.js"},
            "scripts": {"build": "vite build", "test": "vitest", "lint": "eslint .", "dev": "vite", "prepare": "x"},
            "dependencies": {"react": "^18.2.0", "pg": "^8.11.0", "@acme/own": "workspace:*"},
            "devDependencies": {"typescript": "~5.4.0"},
        }
    ),
    "tsconfig.json": '{\n  // comments are allowed\n  "compilerOptions": {\n    "strict": true,\n  }\n}\n',
    "src/index.tsx": "",
    "src/types.d.ts": "",
}


def test_node_with_a_lock_of_npm(tmp_path: Path) -> None:
    lock = {
        "packages": {
            "": {"name": "web"},
            "node_modules/react": {"version": "18.3.1"},
            "node_modules/pg": {"version": "8.11.5"},
            "node_modules/typescript": {"version": "5.4.5"},
        }
    }
    files = {**NODE, "package-lock.json": json.dumps(lock)}
    assert tech(tmp_path, files, "Frameworks") == ["- react: 18.3.1 — user interface (package-lock.json)"]
    assert tech(tmp_path, files, "Databases") == ["- PostgreSQL — through pg 8.11.5 (package-lock.json)"]
    assert tech(tmp_path, files, "Languages") == ["- TypeScript: 5.4.5 (package-lock.json) — the only code file"]
    assert tech(tmp_path, files, "Development Environment Setup") == ["1. `npm ci` (package-lock.json)"]
    assert tech(tmp_path, files, "Build Commands") == [
        "- **Build**: `npm run build` (package.json)",
        "- **Test**: `npm test` (package.json)",
        "- **Lint**: `npm run lint` (package.json)",
        "- **Dev Server**: `npm run dev` (package.json)",
    ]
    assert "TypeScript is strict (tsconfig.json)" in patterns(tmp_path, files, "Coding Conventions")
    assert "`shop` starts `bin/shop.js`" in patterns(tmp_path, files, "Architecture Overview")


def test_node_with_other_locks(tmp_path: Path) -> None:
    yarn = (
        '# yarn lockfile v1\n\n\nreact@^17.0.0, react@^18.2.0:\n  version "18.2.7"\n\npg@^7.0.0:\n  version "7.0.1"\n'
    )
    berry = '__metadata:\n  version: 8\n\n"react@npm:^18.2.0":\n  version: 18.2.8\n  resolution: "react@npm:18.2.8"\n'
    pnpm = (
        "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      react:\n        specifier: ^18.2.0\n"
        "        version: 18.2.9(x@1)\npackages:\n  react@18.2.9: {}\n"
    )
    old_pnpm = "lockfileVersion: 5.4\ndependencies:\n  react: 18.2.6\npackages:\n"
    cases = [("yarn.lock", yarn, "18.2.7"), ("yarn.lock", berry, "18.2.8"), ("pnpm-lock.yaml", pnpm, "18.2.9")]
    for number, (name, text, version) in enumerate([*cases, ("pnpm-lock.yaml", old_pnpm, "18.2.6")]):
        root = tmp_path / str(number)
        found = look(root, {**NODE, name: text}).found
        assert {each.name: each.version for each in found.libraries} == {
            "react": version,
            "pg": "^8.11.0",
            "typescript": "~5.4.0",
        }
        assert found.steps[0].value == f"{name.partition('.')[0].partition('-')[0]} install"


def test_a_script_that_does_nothing_is_no_command(tmp_path: Path) -> None:
    files = {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}
    assert look(tmp_path, files).found.commands == []


def test_rust_workspace(tmp_path: Path) -> None:
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n[workspace.package]\nedition = "2021"\nlicense = "MIT"\n'
        '[workspace.dependencies]\ntokio = { version = "1.37" }\ncore = { path = "crates/core" }\n',
        "crates/core/Cargo.toml": '[package]\nname = "core"\nedition.workspace = true\nlicense.workspace = true\n'
        'rust-version = "1.74"\n[dependencies]\ntokio.workspace = true\nserde = { version = "1", optional = true }\n'
        'syn = "2"\n[target."cfg(unix)".dependencies]\nlibc = "0.2"\n[dev-dependencies]\nproptest = "1"\n',
        "crates/cli/Cargo.toml": '[package]\nname = "cli"\n[[bin]]\nname = "run"\npath = "src/main.rs"\n'
        '[dependencies]\ncore = { path = "../core" }\naxum = "0.7"\n',
        "Cargo.lock": "".join(
            f'[[package]]\nname = "{name}"\nversion = "{version}"\n\n'
            for name, version in [("axum", "0.7.5"), ("tokio", "1.38.0"), ("syn", "1.0.9"), ("syn", "2.0.66")]
        ),
        "rust-toolchain.toml": '[toolchain]\nchannel = "1.78.0"\n',
        "clippy.toml": "",
        "crates/core/src/lib.rs": "",
    }
    found = look(tmp_path, files).found
    assert [(each.name, each.version, each.source, each.use) for each in found.libraries] == [
        ("axum", "0.7.5", "Cargo.lock", "runtime"),
        ("tokio", "1.38.0", "Cargo.lock", "runtime"),
        ("serde", "1", "crates/core/Cargo.toml", "optional"),
        ("syn", "2.0.66", "Cargo.lock", "runtime"),
        ("proptest", "1", "crates/core/Cargo.toml", "development"),
        ("libc", "0.2", "crates/core/Cargo.toml", "runtime"),
    ]
    assert [fact.value for fact in found.licences] == ["MIT"]
    assert {(fact.name, fact.value) for fact in found.requirements} == {
        ("Rust edition", "2021"),
        ("Rust", "1.74"),
        ("Rust toolchain", "1.78.0"),
    }
    assert [fact.value for fact in found.commands] == ["cargo build", "cargo test", "cargo clippy"]
    assert "2 packages in one repository" in patterns(tmp_path, files, "Architecture Overview")


def test_go(tmp_path: Path) -> None:
    files = {
        "go.mod": "module example.com/shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.10.0\n"
        "\tgithub.com/jackc/pgx/v5 v5.5.5\n\tgolang.org/x/net v0.25.0 // indirect\n)\n\nrequire go.uber.org/zap v1.27.0\n",
        "go.sum": "",
        "cmd/server/main.go": "package main",
        "internal/store/store.go": "package store",
        ".golangci.yml": "",
    }
    assert tech(tmp_path, files, "Frameworks") == ["- github.com/gin-gonic/gin: v1.10.0 — web framework (go.mod)"]
    assert tech(tmp_path, files, "Databases") == ["- PostgreSQL — through github.com/jackc/pgx/v5 v5.5.5 (go.mod)"]
    assert tech(tmp_path, files, "Key Libraries") == ["- go.uber.org/zap: v1.27.0 — logging (go.mod)"]
    assert tech(tmp_path, files, "Languages") == ["- Go: 1.22 (go.mod) — 100% of 2 code files"]
    assert "- **Lint**: `golangci-lint run` (.golangci.yml)" in tech(tmp_path, files, "Build Commands")
    assert "`cmd/server` is a program (cmd/server/main.go)" in patterns(tmp_path, files, "Architecture Overview")


def test_maven(tmp_path: Path) -> None:
    files = {
        "pom.xml": """<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>3.3.0</version></parent>
  <artifactId>clinic</artifactId>
  <properties><java.version>21</java.version><h2.version>2.2.224</h2.version></properties>
  <dependencies>
    <dependency><groupId>com.h2database</groupId><artifactId>h2</artifactId><version>${h2.version}</version></dependency>
    <dependency><groupId>org.x</groupId><artifactId>y</artifactId><version>${unknown}</version></dependency>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency>
  </dependencies>
  <build><plugins><plugin><artifactId>spring-boot-maven-plugin</artifactId></plugin></plugins></build>
</project>""",
        "mvnw": "",
    }
    assert tech(tmp_path, files, "Frameworks") == ["- spring-boot: 3.3.0 — application framework (pom.xml)"]
    assert tech(tmp_path, files, "Databases") == ["- H2 — through com.h2database:h2 2.2.224 (pom.xml)"]
    assert tech(tmp_path, files, "Key Libraries") == [
        "- org.x:y (pom.xml)",
        "- junit:junit: 4.13.2 — tests, development only (pom.xml)",
    ]
    assert tech(tmp_path, files, "Version Requirements") == ["- Java: 21 (pom.xml)"]
    assert "- **Test**: `./mvnw test` (pom.xml)" in tech(tmp_path, files, "Build Commands")


def test_gradle_in_both_languages(tmp_path: Path) -> None:
    groovy = {
        "settings.gradle": "rootProject.name = 'clinic'\ninclude 'web', ':core'\n",
        "build.gradle": "plugins {\n  id 'java'\n  id 'org.springframework.boot' version '3.2.4'\n}\nsourceCompatibility = '17'\n"
        'ext.bootstrapVersion = "5.2.3"\ndependencies {\n  implementation "org.webjars:bootstrap:${bootstrapVersion}"\n'
        "  // implementation 'no:no:1'\n  runtimeOnly 'org.postgresql:postgresql'\n  testImplementation 'junit:junit:4.13'\n}\n",
        "gradle.lockfile": "# made by Gradle\norg.postgresql:postgresql:42.7.3=runtimeClasspath\nempty=\n",
        "gradle/wrapper/gradle-wrapper.properties": "distributionUrl=https\\://services.gradle.org/distributions/gradle-8.7-bin.zip\n",
        "gradlew": "",
    }
    found = look(tmp_path / "groovy", groovy).found
    assert ("org.webjars:bootstrap", "5.2.3") in [(each.name, each.version) for each in found.libraries]
    assert ("org.postgresql:postgresql", "42.7.3") in [(each.name, each.version) for each in found.libraries]
    assert "no:no" not in [each.name for each in found.libraries]
    assert {(fact.name, fact.value) for fact in found.requirements} == {("Java", "17"), ("Gradle", "8.7")}
    assert [fact.value for fact in found.members] == ["clinic", "web", "core"]
    assert ("dev", "./gradlew bootRun") in [(fact.name, fact.value) for fact in found.commands]
    kotlin = {
        "settings.gradle.kts": 'rootProject.name = "app"\n',
        "build.gradle.kts": 'plugins {\n  kotlin("jvm") version "2.0.0"\n}\nkotlin { jvmToolchain(21) }\n'
        "dependencies {\n  implementation(libs.ktor.server.core)\n}\n",
        "gradle/libs.versions.toml": '[versions]\nktor = "2.3.11"\n[libraries]\n'
        'ktor-server-core = { module = "io.ktor:ktor-server-core", version.ref = "ktor" }\n',
    }
    expected = ["- io.ktor:ktor-server-core: 2.3.11 — web framework (gradle/libs.versions.toml)"]
    assert tech(tmp_path / "kotlin", kotlin, "Frameworks") == expected
    assert tech(tmp_path / "kotlin", kotlin, "Version Requirements") == [
        "- Java: 21 (build.gradle.kts)",
        "- Kotlin: 2.0.0 (build.gradle.kts)",
    ]


def test_dotnet(tmp_path: Path) -> None:
    files = {
        "Shop.sln": "",
        "global.json": '{"sdk": {"version": "8.0.300"}}',
        "Directory.Packages.props": '<Project><ItemGroup><PackageVersion Include="Serilog" Version="3.1.1" /></ItemGroup></Project>',
        "src/Api/Api.csproj": '\ufeff<Project Sdk="Microsoft.NET.Sdk.Web">\n<PropertyGroup><TargetFramework>net8.0</TargetFramework><Nullable>enable</Nullable></PropertyGroup>\n'
        '<ItemGroup><PackageReference Include="Npgsql" Version="8.*" /><PackageReference Include="Serilog" /></ItemGroup></Project>',
        "src/Api/packages.lock.json": '{"dependencies": {"net8.0": {"Npgsql": {"type": "Direct", "resolved": "8.0.3"}}}}',
        "src/Api.Tests/Api.Tests.csproj": '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk"><Version>17.9.0</Version></PackageReference></ItemGroup></Project>',
        "src/Api/Program.cs": "",
    }
    assert tech(tmp_path, files, "Databases") == ["- PostgreSQL — through Npgsql 8.0.3 (src/Api/packages.lock.json)"]
    assert "- Serilog: 3.1.1 — logging (Directory.Packages.props)" in tech(tmp_path, files, "Key Libraries")
    assert tech(tmp_path, files, "Languages") == ["- C#: net8.0 (src/Api/Api.csproj) — the only code file"]
    assert tech(tmp_path, files, "Build Commands") == [
        "- **Build**: `dotnet build` (Shop.sln)",
        "- **Test**: `dotnet test` (Shop.sln)",
        "- **Dev Server**: `dotnet run --project src/Api/Api.csproj` (src/Api/Api.csproj)",
    ]
    assert "- .NET SDK: 8.0.300 (global.json)" in tech(tmp_path, files, "Version Requirements")


def test_php(tmp_path: Path) -> None:
    files = {
        "composer.json": json.dumps(
            {
                "name": "acme/site",
                "license": ["MIT", "GPL-2.0"],
                "require": {"php": "^8.2", "ext-intl": "*", "laravel/framework": "^11.0", "predis/predis": "^2.0"},
                "require-dev": {"phpunit/phpunit": "^11.0"},
                "scripts": {"lint": "pint"},
            }
        ),
        "composer.lock": json.dumps({"packages": [{"name": "laravel/framework", "version": "v11.9.2"}]}),
        "phpunit.xml": "",
        "artisan": "",
    }
    assert tech(tmp_path, files, "Frameworks") == ["- laravel/framework: 11.9.2 — web framework (composer.lock)"]
    assert tech(tmp_path, files, "Databases") == ["- Redis — through predis/predis ^2.0 (composer.json)"]
    assert tech(tmp_path, files, "Build Commands") == [
        "- **Test**: `vendor/bin/phpunit` (phpunit.xml)",
        "- **Lint**: `composer run lint` (composer.json)",
        "- **Dev Server**: `php artisan serve` (artisan)",
    ]
    assert tech(tmp_path, files, "Version Requirements") == [
        "- PHP: ^8.2 (composer.json)",
        "- PHP extension intl: any version (composer.json)",
    ]


def test_ruby(tmp_path: Path) -> None:
    files = {
        "Gemfile": 'source "https://rubygems.org"\nruby "3.3.1"\ngem "rails", "~> 7.1"\ngem "pg"\n'
        'group :development, :test do\n  gem "rspec"\nend\ngem "puma", ">= 6"\ngem "rubocop", group: :development\n',
        "Gemfile.lock": "GEM\n  specs:\n    pg (1.5.6)\n    rails (7.1.3)\n      actionpack (= 7.1.3)\n    puma (6.4.2)\n\nRUBY VERSION\n   ruby 3.3.1p55\n",
        ".rspec": "",
        ".rubocop.yml": "",
        "bin/rails": "",
        "app/models/user.rb": "",
    }
    found = look(tmp_path, files).found
    assert [(each.name, each.version, each.use) for each in found.libraries] == [
        ("rails", "7.1.3", "runtime"),
        ("pg", "1.5.6", "runtime"),
        ("rspec", "", "development"),
        ("puma", "6.4.2", "runtime"),
        ("rubocop", "", "development"),
    ]
    assert tech(tmp_path, files, "Version Requirements") == ["- Ruby: 3.3.1 (Gemfile.lock)"]
    assert [fact.value for fact in found.commands] == ["bundle exec rspec", "bundle exec rubocop", "bin/rails server"]


def test_elixir_and_dart(tmp_path: Path) -> None:
    files = {
        "mix.exs": 'def project, do: [app: :shop, elixir: "~> 1.16"]\ndefp deps, do: [{:phoenix, "~> 1.7"}, {:credo, "~> 1.7", only: [:dev]}]\n',
        "mix.lock": '%{\n  "phoenix": {:hex, :phoenix, "1.7.12", "hash"},\n}\n',
        "mobile/pubspec.yaml": "name: mobile\nenvironment:\n  sdk: ^3.4.0\ndependencies:\n  flutter:\n    sdk: flutter\n  http: ^1.2.0\n",
        "mobile/pubspec.lock": 'packages:\n  http:\n    dependency: "direct main"\n    source: hosted\n    version: "1.2.1"\n',
    }
    found = look(tmp_path, files).found
    assert [(each.name, each.version, each.use) for each in found.libraries] == [
        ("phoenix", "1.7.12", "runtime"),
        ("credo", "~> 1.7", "development"),
        ("http", "1.2.1", "runtime"),
    ]
    assert [fact.value for fact in found.steps] == ["mix deps.get", "cd mobile && flutter pub get"]


def test_a_repository_of_several_ecosystems(tmp_path: Path) -> None:
    files = {
        **{f"backend/{name}": text for name, text in PYTHON.items()},
        **{f"frontend/{name}": text for name, text in NODE.items()},
        "examples/demo/package.json": '{"name": "demo", "dependencies": {"vue": "^3"}}',
        "README.md": "# Shop\n\nA shop for everything that can be sold.\n",
    }
    commands = tech(tmp_path, files, "Build Commands")
    assert commands[1] == (
        "- **Test**: `cd backend && pytest` (backend/pyproject.toml), `cd frontend && npm test` (frontend/package.json)"
    )
    assert "vue" not in "".join(tech(tmp_path, files, "Frameworks"))
    assert patterns(tmp_path, files, "Architecture Overview").startswith("2 packages in one repository:")
    assert patterns(tmp_path, files, "File Organization").split("\n")[1:6] == [
        "backend/   server",
        "  src/     source code",
        "    todo/  1 Python file",
        "  tests/   tests",
        "examples/  examples",
    ]
