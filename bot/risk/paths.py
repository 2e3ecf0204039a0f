"""Which paths deserve a second look, and why."""

import posixpath
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from bot.requests.changes import is_inside

MOST_OPENED = 20
_BRACES = re.compile(r"(?<!\$)\{([^{}]*,[^{}]*)\}")
_HARMLESS = frozenset(
    {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/urandom"}
)
_EXAMPLES = (".example", ".sample", ".template", ".dist", ".pub")
_SECRET_NAMES = (
    *(".env", ".env.*", ".envrc", ".netrc", "_netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ed25519_sk", "*.pem", "*.p12", "*.pfx", "*.keystore", "*.jks"),
    *("*.key", "*.kdbx", "credentials", "credentials.json", ".credentials.json", "service-account*.json", "secrets.*"),
    *("shadow", "environ", ".vault-token", "terraform.tfstate", "*.tfvars", "login data", "cookies.sqlite"),
)
_SECRET_FOLDERS = (".ssh", ".aws", ".gnupg", ".kube", ".azure", ".password-store", "gcloud", "keyrings", "keychains")
_SHELL = (
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv"),
    *(
        ".zprofile",
        ".zlogin",
        ".inputrc",
        "config.fish",
        ".tmux.conf",
        "crontab",
        ".vimrc",
        ".xprofile",
        ".pam_environment",
    ),
)
_SHELL_PLACES = ("/etc/profile", "/etc/bash", "/etc/zsh", "/etc/cron", "/etc/environment", "/etc/sudoers", "/etc/ld.so")
_CI_NAMES = (
    *(".gitlab-ci.yml", ".gitlab-ci.yaml", "azure-pipelines.yml", "jenkinsfile", ".travis.yml", ".drone.yml"),
    *("bitbucket-pipelines.yml", "appveyor.yml", ".cirrus.yml", ".woodpecker.yml"),
)
_CI_FOLDERS = (
    ".github/workflows",
    ".github/actions",
    ".circleci",
    ".buildkite",
    ".gitea/workflows",
    ".forgejo/workflows",
)
_CLAUDE_NAMES = (".claude.json", ".mcp.json", "claude-discord.toml", "managed-settings.json")
_GIT_NAMES = (".gitconfig", ".gitattributes", ".gitmodules", ".pre-commit-config.yaml")


def unbraced(path: str) -> Iterator[str]:
    """Open the first braces: `.{env,x}` is `.env` and `.x` to a shell."""
    found = _BRACES.search(path)
    if found is None:
        yield path
        return
    yield from (path[: found.start()] + one + path[found.end() :] for one in found[1].split(",")[:MOST_OPENED])


def is_path(text: str) -> bool:
    """Whether an argument can be a path at all."""
    return bool(text) and "\n" not in text and len(text) < 1000 and "://" not in text


def is_outside(path: str, folder: str) -> bool:
    if path.startswith("~"):
        return True
    if path in _HARMLESS or path.startswith("/dev/fd/"):
        return False
    return (path.startswith("/") or ".." in path.split("/")) and not is_inside(path, folder)


def is_device(path: str) -> bool:
    return path.startswith("/dev/") and path not in _HARMLESS and not path.startswith(("/dev/fd/", "/dev/shm/"))  # noqa: S108


def is_secret(path: str) -> bool:
    parts = _parts(path)
    name = parts[-1] if parts else ""
    if name.endswith(_EXAMPLES):
        return False
    if any(part in _SECRET_FOLDERS for part in parts):
        return True
    return any(_matches(name, secret) for secret in _SECRET_NAMES)


def is_git_configuration(path: str) -> bool:
    parts = _parts(path)
    return bool(parts) and (parts[-1] in _GIT_NAMES or ".git" in parts or ".husky" in parts)


def is_shell_configuration(path: str) -> bool:
    parts = _parts(path)
    return bool(parts) and (parts[-1] in _SHELL or posixpath.normpath(path).startswith(_SHELL_PLACES))


def is_ci(path: str) -> bool:
    parts = _parts(path)
    whole = "/".join(parts)
    return bool(parts) and (parts[-1] in _CI_NAMES or any(f"/{place}/" in f"/{whole}/" for place in _CI_FOLDERS))


def is_claude_setting(path: str) -> bool:
    parts = _parts(path)
    return bool(parts) and (parts[-1] in _CLAUDE_NAMES or ".claude" in parts)


def _matches(name: str, secret: str) -> bool:
    if fnmatchcase(name, secret):
        return True
    globbing = any(character in name for character in "*?[") and name.strip("*?[]")
    return bool(globbing) and "*" not in secret and fnmatchcase(secret, name)  # cat .en?


def _parts(path: str) -> list[str]:
    """Take a path apart, in lower case: to a Mac, `.ENV` and `.env` are one file."""
    return [part for part in posixpath.normpath(path).casefold().split("/") if part not in ("", ".")]
