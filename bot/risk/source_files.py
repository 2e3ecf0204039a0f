"""Tells by its name whether a file is someone's work: source code, documentation, configuration."""

import posixpath

from bot.risk.sensitive_paths import is_product

_CODE = frozenset(
    {
        *(
            "c",
            "h",
            "cc",
            "cpp",
            "cxx",
            "hpp",
            "hh",
            "m",
            "mm",
            "cs",
            "fs",
            "vb",
            "java",
            "kt",
            "kts",
            "scala",
            "groovy",
        ),
        *(
            "go",
            "rs",
            "zig",
            "nim",
            "swift",
            "dart",
            "py",
            "pyi",
            "ipynb",
            "rb",
            "erb",
            "php",
            "pl",
            "pm",
            "lua",
            "sol",
        ),
        *("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro", "scss", "sass", "less"),
        *("sh", "bash", "zsh", "fish", "ps1", "bat", "ex", "exs", "erl", "hs", "ml", "clj", "elm", "jl", "tf", "hcl"),
        *("nix", "gradle", "cmake", "vim", "el", "f90", "asm"),
    }
)
_PROSE = frozenset(
    {
        *("md", "mdx", "rst", "adoc", "tex", "json", "json5", "yaml", "yml", "toml", "xml", "html", "htm", "css"),
        *("sql", "graphql", "proto", "csproj", "sln"),
    }
)
_WORK_NAMES = frozenset(
    {
        *("makefile", "dockerfile", "containerfile", "justfile", "rakefile", "gemfile", "procfile", "vagrantfile"),
        *("readme", "license", "changelog", "cmakelists.txt", "requirements.txt", "go.mod"),
    }
)
_EMPTY_ON_PURPOSE = frozenset({"__init__.py", "py.typed"})
_OF_OTHERS = frozenset({"vendor", "third_party", "third-party", "external", "public", "static", "assets"})


def is_code(path: str) -> bool:
    """Check whether a file is source code of this project."""
    return _suffix(path) in _CODE and _is_own(path)


def is_work(path: str) -> bool:
    """Check whether a file is source code, documentation or configuration of this project."""
    name = posixpath.basename(path).casefold()
    return (name in _WORK_NAMES or _suffix(path) in _CODE | _PROSE) and _is_own(path)


def _is_own(path: str) -> bool:
    *folders, name = path.casefold().split("/")
    return not _OF_OTHERS.intersection(folders) and name not in _EMPTY_ON_PURPOSE and not is_product(path)


def _suffix(path: str) -> str:
    return posixpath.splitext(path.casefold())[1][1:]
