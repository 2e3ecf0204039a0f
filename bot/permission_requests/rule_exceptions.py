"""Files that no rule allows to edit: other programs run them, or read them as instructions."""

from fnmatch import fnmatchcase

RUN_FOLDERS = frozenset(
    {
        *("node_modules", "bower_components", "site-packages", "dist-packages", "__pypackages__", "vendor", "bin"),
        *("venv", "env", "virtualenv", "githooks", "buildsrc", "build-logic", "requirements"),
    }
)
"""Files in these folders run together with an installed program."""
_NAMES = """
    *.sh *.bash *.zsh *.fish *.ksh *.csh *.ps1 *.psm1 *.bat *.cmd *.command makefile* gnumakefile *.mk *.mak
    justfile* taskfile* rakefile* *.rake gemfile* dockerfile* containerfile* *.dockerfile docker-compose*
    compose.y*ml compose.*.y*ml jenkinsfile* vagrantfile* procfile* brewfile* podfile* fastfile* tiltfile*
    earthfile* package.json package-lock.json npm-shrinkwrap.json pnpm-*.yaml yarn.lock bun.lock* deno.json*
    composer.json lerna.json nx.json turbo.json project.json angular.json bunfig.toml *.config.js *.config.cjs
    *.config.mjs *.config.ts *.config.cts *.config.mts *.config.json gulpfile* gruntfile* jakefile*
    tsconfig*.json jsconfig*.json biome.json* *.code-workspace conftest.py setup.py setup.cfg pyproject.toml
    tox.ini pytest.ini pytest.toml tox.toml mypy.ini ruff.toml noxfile.py dodo.py fabfile.py manage.py
    wscript sconstruct sconscript sitecustomize.py usercustomize.py *.pth requirements*.txt constraints*.txt *.lock
    pipfile* build.rs
    cargo.toml go.mod go.work go.sum pom.xml *.gradle *.gradle.kts gradlew* gradle.properties *.csproj *.fsproj
    *.vbproj *.vcxproj *.sln *.slnx *.props *.targets *.rsp nuget.config cmakelists.txt *.cmake
    cmakepresets.json meson.build build build.bazel workspace workspace.bazel *.bzl *.tf *.tfvars *.service
    *.timer *.socket *.desktop *.plist crontab* action.y*ml *-ci.y*ml *-pipelines.y*ml cloudbuild.y*ml
    serverless.y*ml mkdocs.y*ml netlify.toml vercel.json wrangler.* firebase.json renovate.json* lefthook.*
    lint-staged.* claude*.md agents*.md agent.md gemini.md skill.md claude-discord*.toml
    copilot-instructions.md *.instructions.md *.prompt.md *.chatmode.md *.mdc conventions.md warp.md qwen.md crush.md
    mcp.json hooks.json *.gyp *.gypi *.config.*.js *.config.*.ts *.config.babel.* *.conf.js *.conf.cjs *.conf.mjs
    *.conf.ts webpack.*.js webpack.*.ts knexfile.* plopfile.* dangerfile* gatsby-*.js gatsby-*.ts ember-cli-build.js
    jest.setup.* vitest.setup.* vitest.workspace.* rush.json import_map.json tslint.json cypress.json mix.exs
    rebar.config* *.cabal cabal.project* stack.y*ml setup.hs *.sbt build.xml build.zig build.zig.zon package.swift
    *.podspec cartfile* *.gemspec config.ru guardfile capfile thorfile berksfile puppetfile *.nix project.clj
    deps.edn bb.edn shadow-cljs.edn build.boot *.rockspec *.nimble *.opam dune dune-project dub.json dub.sdl
    shard.y*ml pubspec.y*ml hatch_build.py hatch.toml uv.toml poetry.toml pdm.toml pixi.toml mise*.toml devbox.json
    tasks.py pylintrc* requirements*.in constraints*.in environment.y*ml snakefile* *.smk *.tf.json *.tofu *.hcl
    *.nomad *.bicep *.pp *.sls playbook*.y*ml docker-bake.* skaffold.y*ml helmfile.y*ml buildspec*.y*ml appspec.y*ml
    appveyor.y*ml *.jenkinsfile global.json *.*proj *.*proj.user *.ruleset *.tt *.csx *.fsx *.cake web.config
    app.config configure configure.in *.ac *.am *.m4 *.cmake.in meson_options.txt meson.options premake*.lua xmake.lua
    module.bazel *.star pants*.toml *.versions.toml *.xcconfig *.xcscheme *.sublime-project pyvenv.cfg *.nu *.xsh
    *.tcsh *.vbs *.wsf *.reg *.applescript
"""
RUN_FILES = tuple(_NAMES.split())
"""Names in lower case, because `Makefile` and `makefile` are the same file on some systems."""
SETTINGS = ("*.yml", "*.yaml", "*.toml", "*.ini", "*.cfg", "*.conf", "*.xml", "*.properties", "*.env")
"""Files that may be data or the configuration of a program."""


def is_run(path: str) -> bool:
    """Check whether other programs run a file or read instructions from it. The path is relative to the project."""
    *folders, name = path.casefold().split("/")
    if any(part.startswith(".") for part in (*folders, name)) or not RUN_FOLDERS.isdisjoint(folders):
        return True
    return any(fnmatchcase(name, pattern) for pattern in RUN_FILES)


def may_be_run(path: str) -> bool:
    """Like `is_run`, but also true for possible settings, and for files without an extension."""
    name = path.casefold().rpartition("/")[2]
    return is_run(path) or "." not in name or any(fnmatchcase(name, pattern) for pattern in SETTINGS)
