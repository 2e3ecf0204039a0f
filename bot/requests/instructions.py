"""Files that other programs run, or read as instructions: no rule for edits covers them."""

from fnmatch import fnmatchcase

RUN_FOLDERS = frozenset({"node_modules", "site-packages", "venv", "githooks"})
"""What stands in them runs whenever a program that was installed does."""
_NAMES = """
    *.sh *.bash *.zsh *.fish *.ksh *.csh *.ps1 *.psm1 *.bat *.cmd *.command makefile* gnumakefile *.mk *.mak
    justfile* taskfile* rakefile* *.rake gemfile* dockerfile* containerfile* *.dockerfile docker-compose*
    compose.y*ml compose.*.y*ml jenkinsfile* vagrantfile* procfile* brewfile* podfile* fastfile* tiltfile*
    earthfile* package.json package-lock.json npm-shrinkwrap.json pnpm-*.yaml yarn.lock bun.lock* deno.json*
    composer.json lerna.json nx.json turbo.json project.json angular.json bunfig.toml *.config.js *.config.cjs
    *.config.mjs *.config.ts *.config.cts *.config.mts *.config.json gulpfile* gruntfile* jakefile*
    tsconfig*.json jsconfig*.json biome.json* *.code-workspace conftest.py setup.py setup.cfg pyproject.toml
    tox.ini pytest.ini mypy.ini ruff.toml noxfile.py dodo.py fabfile.py manage.py wscript sconstruct sconscript
    sitecustomize.py usercustomize.py *.pth requirements*.txt constraints*.txt *.lock pipfile* build.rs
    cargo.toml go.mod go.work go.sum pom.xml *.gradle *.gradle.kts gradlew* gradle.properties *.csproj *.fsproj
    *.vbproj *.vcxproj *.sln *.slnx *.props *.targets *.rsp nuget.config cmakelists.txt *.cmake
    cmakepresets.json meson.build build build.bazel workspace workspace.bazel *.bzl *.tf *.tfvars *.service
    *.timer *.socket *.desktop *.plist crontab* action.y*ml *-ci.y*ml *-pipelines.y*ml cloudbuild.y*ml
    serverless.y*ml mkdocs.y*ml netlify.toml vercel.json wrangler.* firebase.json renovate.json* lefthook.*
    lint-staged.* claude.md claude.local.md agents.md agent.md gemini.md skill.md claude-discord*.toml
"""
RUN_FILES = tuple(_NAMES.split())
"""Names in lower case; to some systems `Makefile` and `makefile` are one file."""
SETTINGS = ("*.yml", "*.yaml", "*.toml", "*.ini", "*.cfg", "*.conf", "*.xml", "*.properties", "*.env")
"""Often only data, but as often what a program is set up with."""


def is_run(path: str) -> bool:
    """Whether other programs run this file or take instructions from it, by its path in the project."""
    *folders, name = path.casefold().split("/")
    if any(part.startswith(".") for part in (*folders, name)) or not RUN_FOLDERS.isdisjoint(folders):
        return True
    return any(fnmatchcase(name, pattern) for pattern in RUN_FILES)


def may_be_run(path: str) -> bool:
    """The same, in doubt: whether it may also be a setting or a script without an ending."""
    name = path.casefold().rpartition("/")[2]
    return is_run(path) or "." not in name or any(fnmatchcase(name, pattern) for pattern in SETTINGS)
