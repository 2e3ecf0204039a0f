"""Tells which paths are sensitive, and why."""

import posixpath
from fnmatch import fnmatchcase

from bot.risk.project_paths import is_inside

MAX_PATH = 4_096  # the limit of Linux
LONGEST = 1_000
"""Longer texts are not paths."""
_HARMLESS = frozenset(
    {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/urandom"}
)
_EXAMPLES = (".example", ".sample", ".template", ".dist", ".pub")
_SECRET_NAMES = (
    *(".env", ".env.*", ".envrc", ".netrc", "_netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ed25519_sk", "*.pem", "*.p12", "*.pfx", "*.keystore", "*.jks"),
    *("*.key", "*.kdbx", "credentials", "credentials.json", ".credentials.json", "service-account*.json"),
    *("secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.env", "secrets.txt", "secrets.ini"),
    *("secrets.enc.*", "*.secret", "shadow", "gshadow", "environ", ".vault-token", "terraform.tfstate", "*.tfvars"),
    *("login data", "cookies", "cookies.sqlite", "logins.json", "key4.db", "vault.yml", "vault.yaml", "kubeconfig"),
    *("application_default_credentials.json", ".bash_history", ".zsh_history", ".psql_history", ".mysql_history"),
    *(".node_repl_history", ".python_history", "authinfo", ".authinfo", ".my.cnf", ".s3cfg", ".boto", ".htpasswd"),
    *("master.key", "credentials.yml.enc", "rclone.conf", "wp-config.php", ".terraformrc", "token.json"),
)
_SECRET_FOLDERS = (
    *(".ssh", ".aws", ".gnupg", ".kube", ".azure", ".password-store", "gcloud", "keyrings", "keychains"),
)
_SECRET_PLACES = (
    *(".docker/config.json", ".config/gh", ".config/hub", ".config/op", "run/secrets", "serviceaccount/token"),
    *(".claude/.credentials.json", ".config/rclone", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml"),
)
_PUBLIC = frozenset({".pub", "known_hosts"})
_SYSTEM = (
    *("/usr/include/", "/usr/share/", "/usr/lib/", "/usr/bin/", "/etc/os-release", "/etc/lsb-release", "/proc/cpuinfo"),
    *("/proc/meminfo", "/proc/version", "/proc/loadavg", "/etc/debian_version", "/sys/fs/cgroup/", "/etc/timezone"),
    *("/etc/redhat-release", "/etc/alpine-release", "/bin/", "/opt/homebrew/", "/usr/local/bin/", "/usr/local/lib/"),
)
"""Files that are the same on every machine and reveal nothing private."""
_TOOLS_AT_HOME = ("~/.nvm/", "~/.cargo/env", "~/.sdkman/", "~/.asdf/", "~/.rvm/", "~/.pyenv/", "~/.rbenv/", "~/.volta/")
TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/", "/var/folders/", "/dev/shm/")  # noqa: S108
_PRODUCTS = frozenset(
    {
        *("node_modules", "dist", "build", "target", "out", "__pycache__", ".pytest_cache", ".mypy_cache", "coverage"),
        *(".ruff_cache", ".next", ".nuxt", ".output", ".turbo", ".parcel-cache", ".cache", ".vite", ".svelte-kit"),
        *(".tox", ".nox", ".venv", "venv", "htmlcov", ".coverage", ".nyc_output", "obj", ".gradle", ".eggs", "_build"),
        *(".hypothesis", "test-results", "playwright-report", ".angular", ".docusaurus", ".expo", "storybook-static"),
        *(".terraform", "cmake-build-debug", "cmake-build-release", "deriveddata", ".dart_tool", ".bloop", ".metals"),
        *(
            ".stack-work",
            "dist-newstyle",
            "zig-cache",
            ".zig-cache",
            "zig-out",
            "bazel-bin",
            "bazel-out",
            ".serverless",
        ),
        *(
            ".aws-sam",
            "cdk.out",
            ".vercel",
            ".netlify",
            ".jest-cache",
            ".eslintcache",
            ".stylelintcache",
            ".rpt2_cache",
        ),
        *("tmp", "temp", ".tmp", ".temp", "logs", "_site", ".astro", ".rollup.cache", ".webpack", "elm-stuff", "deps"),
        *(
            "__snapshots__",
            "site-packages",
            ".ipynb_checkpoints",
            "wheelhouse",
            ".build",
            ".swiftpm",
            "pods",
            ".ds_store",
        ),
    }
)
_PRODUCT_NAMES = (
    "*.pyc",
    "*.pyo",
    "*.o",
    "*.a",
    "*.class",
    "*.egg-info",
    "*.log",
    "*.tmp",
    "*.tsbuildinfo",
    "*.gcda",
    "*.orig",
)
"""Files that a build creates again."""
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
        *("*.pth", "sitecustomize.py", "usercustomize.py", "*.service", "*.timer", ".xinitrc", ".xsession", ".zshenv"),
        *("$profile", "microsoft.powershell_profile.ps1", ".screenrc", ".gdbinit", ".lldbinit", ".emacs", ".exrc"),
        *(".nvimrc", ".irbrc", ".pryrc", ".rprofile", ".envrc", ".cshrc", ".tcshrc", ".login", ".logout", ".kshrc"),
    ),
)
_SHELL_PLACES = (
    *("/etc/profile", "/etc/bash", "/etc/zsh", "/etc/cron", "/etc/environment", "/etc/sudoers", "/etc/ld.so"),
    *("/etc/systemd", "/etc/init.d", "/etc/rc", "/etc/udev", "/etc/xdg/autostart", "/usr/lib/systemd", "/lib/systemd"),
    *("/var/spool/cron", "/etc/at.", "/etc/inittab", "/etc/modprobe", "/etc/apt/apt.conf", "/library/launch"),
)
_SELF_STARTING = (
    *(".config/systemd", ".config/autostart", "library/launchagents", "library/launchdaemons", ".config/environment.d"),
    *(".config/fish", ".config/nvim", ".vim", ".emacs.d", ".oh-my-zsh", ".zsh", ".bashrc.d", ".profile.d"),
    *(
        ".local/share/applications",
        "site-packages/sitecustomize.py",
        ".ipython",
        ".config/direnv",
        ".vscode/tasks.json",
    ),
)
_CI_NAMES = (
    *(".gitlab-ci.yml", ".gitlab-ci.yaml", "azure-pipelines.yml", "jenkinsfile", ".travis.yml", ".drone.yml"),
    *("bitbucket-pipelines.yml", "appveyor.yml", ".cirrus.yml", ".woodpecker.yml", "codeowners", "cloudbuild.yaml"),
)
_CI_FOLDERS = (
    ".github/workflows",
    ".github/actions",
    ".circleci",
    ".woodpecker",
    ".teamcity",
    ".gitlab/ci",
    ".buildkite",
    ".gitea/workflows",
    ".forgejo/workflows",
)
_CLAUDE_NAMES = (".claude.json", ".mcp.json", "claude-discord.toml", "managed-settings.json")
_INSTRUCTIONS = frozenset(
    {
        *("claude.md", "claude.local.md", "agents.md", "agent.md", "gemini.md", ".cursorrules", ".windsurfrules"),
        *(".clinerules", "copilot-instructions.md", ".goosehints", ".aider.conf.yml", ".roorules", "skill.md"),
    }
)
_INSTRUCTION_FOLDERS = (".claude", ".cursor/rules", ".github/instructions", ".github/prompts", ".agents", ".codex")
_ACCESS_NAMES = ("authorized_keys", "authorized_keys2", "sshd_config", ".rhosts", "hosts.equiv", "sudoers")
_ACCESS_PLACES = (".ssh/config", ".ssh/rc", ".ssh/environment", "etc/ssh", "etc/pam.d", "ca-certificates")
_PROGRAM_SETTINGS = (
    *(".cargo/config.toml", ".cargo/config", ".vscode/settings.json", ".vscode/launch.json", ".mvn/jvm.config"),
    *(".mvn/extensions.xml", ".mvn/maven.config", "gradle-wrapper.properties", "maven-wrapper.properties"),
    *("devcontainer.json", ".devcontainer.json", ".yarnrc.yml", ".yarnrc", ".pnpmfile.cjs", "pip.conf", ".npmrc"),
    *(".mise.toml", "lefthook.yml", ".idea/runconfigurations", ".bazelrc", ".sbtopts", ".jvmopts"),
)
"""Files that programs read when they start, and that can make them run other programs."""
_GIT_NAMES = (".gitconfig", ".gitattributes", ".gitmodules", ".pre-commit-config.yaml")


def is_path(text: str) -> bool:
    """Check whether an argument can be a path."""
    return (
        bool(text) and len(text) < LONGEST and "\n" not in text and "://" not in text and text[:2] not in ("<(", ">(")
    )


def is_outside(path: str, folder: str, *, changes: bool = True, strict: bool = False) -> bool:
    """Check whether a path is outside the project; temporary files only count if `strict`."""
    if path.startswith("~"):
        return changes or not path.startswith(_TOOLS_AT_HOME)
    if path in _HARMLESS or path.startswith(("/dev/fd/", "/dev/tcp/", "/dev/udp/")):
        return False
    if path.startswith("/") and not is_inside(path, folder):
        whole = posixpath.normpath(path) + "/"
        if not strict and whole.startswith(TEMPORARY):
            return False
        if not changes and whole.startswith(_SYSTEM):
            return False
    return (path.startswith("/") or ".." in path.split("/")) and not is_inside(path, folder)


def is_device(path: str) -> bool:
    return path.startswith("/dev/") and path not in _HARMLESS and not path.startswith(("/dev/fd/", "/dev/shm/"))  # noqa: S108


def is_product(path: str) -> bool:
    """Check whether a path is created again by a build or a test run, or is a temporary file."""
    whole = posixpath.normpath(path)
    if whole.startswith(TEMPORARY) and whole.count("/") > 1 and not path.endswith(("tmp/*", "shm/*")):
        return True
    parts = _parts(path)
    if not parts or ".." in parts or path.startswith("~") or ".git" in parts:
        return False
    return any(part in _PRODUCTS or _is_one_of(part, _PRODUCT_NAMES) for part in parts)


def is_secret(path: str) -> bool:
    parts = _parts(path)
    name = parts[-1] if parts else ""
    if name.endswith(_EXAMPLES) or name in _PUBLIC:
        return False
    if any(_matches(part, folder) for part in parts for folder in _SECRET_FOLDERS) or _is_in(parts, _SECRET_PLACES):
        return True
    return any(_matches(name, secret) for secret in _SECRET_NAMES)


def is_git_configuration(path: str) -> bool:
    parts = _parts(path)
    return bool(parts) and (parts[-1] in _GIT_NAMES or ".git" in parts or ".husky" in parts)


def is_shell_configuration(path: str) -> bool:
    parts = _parts(path)
    if not parts:
        return False
    return (
        any(_matches(parts[-1], name) for name in _SHELL)
        or posixpath.normpath(path).startswith(_SHELL_PLACES)
        or _is_in(parts, _SELF_STARTING)
    )


def is_ci(path: str) -> bool:
    parts = _parts(path)
    return bool(parts) and (parts[-1] in _CI_NAMES or _is_in(parts, _CI_FOLDERS))


def is_claude_setting(path: str) -> bool:
    parts = _parts(path)
    if not parts:
        return False
    return parts[-1] in _CLAUDE_NAMES or (
        ".claude" in parts and _is_one_of(parts[-1], ("settings*.json", ".claude", "*.json"))
    )


def is_instruction(path: str) -> bool:
    """Check whether Claude or another agent reads instructions from a path."""
    parts = _parts(path)
    if not parts or is_claude_setting(path):
        return False
    return parts[-1] in _INSTRUCTIONS or _is_in(parts, _INSTRUCTION_FOLDERS)


def is_program_setting(path: str) -> bool:
    """Check whether a file can make a common program run something else."""
    return _is_in(_parts(path), _PROGRAM_SETTINGS)


def is_access(path: str) -> bool:
    """Check whether a file controls access to this machine."""
    parts = _parts(path)
    return bool(parts) and (parts[-1] in _ACCESS_NAMES or _is_in(parts, _ACCESS_PLACES) or "sudoers.d" in parts)


def _is_in(parts: list[str], places: tuple[str, ...]) -> bool:
    whole = f"/{'/'.join(parts)}/"
    return any(f"/{place}/" in whole for place in places)


def _is_one_of(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _matches(name: str, secret: str) -> bool:
    if fnmatchcase(name, secret):
        return True
    if name.startswith("*."):  # `*.env` is meant for `.env`, but `*.json` for no particular file
        return "*" not in secret and fnmatchcase(secret, name[1:])
    globbing = any(character in name for character in "*?[") and name.strip("*?[]")
    return bool(globbing) and len(name.strip("*?[]")) > 1 and "*" not in secret and fnmatchcase(secret, name)  # .en?


def _parts(path: str) -> list[str]:
    """Split a path, in lower case: on a Mac, `.ENV` and `.env` are the same file."""
    return [part for part in posixpath.normpath(path).casefold().split("/") if part not in ("", ".")]
