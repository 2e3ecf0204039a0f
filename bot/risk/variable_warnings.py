"""Warnings about environment variables: those set for other programs, and secrets that are read."""

from collections.abc import Iterator

from bot.risk.nested_commands import program
from bot.risk.network_addresses import is_address, is_local
from bot.risk.program_arguments import SECRET_NAME, is_assignment
from bot.risk.shell_interpreter import ShellInterpreter
from bot.risk.warning_kinds import RiskWarning, WarningKind

_INFLUENCES = frozenset(
    {
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "BASH_ENV", "ENV"),
        *("PROMPT_COMMAND", "PS4", "SHELLOPTS", "BASHOPTS", "ZDOTDIR", "IFS_COMMAND", "CDPATH", "FPATH", "MAKEFLAGS"),
        *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS"),
        *(
            "GIT_PAGER",
            "PAGER",
            "GIT_EDITOR",
            "GIT_SEQUENCE_EDITOR",
            "EDITOR",
            "VISUAL",
            "GIT_EXEC_PATH",
            "GIT_TEMPLATE_DIR",
        ),
        *("MANPAGER", "BROWSER", "LESSOPEN", "LESSCLOSE", "SUDO_ASKPASS", "FCEDIT", "MANOPT", "TERMINFO", "GCONV_PATH"),
        *("PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PERL5OPT", "PERL5LIB", "PERL5DB", "PERLLIB"),
        *("RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "LUA_INIT", "PHPRC"),
        *("PHP_INI_SCAN_DIR", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTC", "DOTNET_STARTUP_HOOKS", "R_PROFILE"),
        *(
            "NODE_PATH",
            "NODE_REPL_EXTERNAL_MODULE",
            "ELECTRON_RUN_AS_NODE",
            "CLAUDE_CONFIG_DIR",
            "DOCKER_HOST",
            "KUBECONFIG",
        ),
        *(
            "DOCKER_CONFIG",
            "GNUPGHOME",
            "OPENSSL_CONF",
            "OPENSSL_ENGINES",
            "AWS_CONFIG_FILE",
            "PIP_CONFIG_FILE",
            "NETRC",
        ),
        *("COMPOSER_HOME", "JULIA_LOAD_PATH", "ERL_FLAGS", "ELIXIR_ERL_OPTIONS", "TAR_OPTIONS", "RSYNC_RSH", "CVS_RSH"),
        *("CONFIG_SHELL", "PROMPT", "RPS1", "XDG_CONFIG_HOME", "INPUTRC", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS"),
    }
)
_BY_VALUE: dict[str, tuple[str, ...]] = {
    "NODE_OPTIONS": ("-r ", "require", "import", "loader", "inspect"),
    "MAVEN_OPTS": ("agent", "bootclasspath"),
    "MAVEN_ARGS": ("agent", "-s ", "settings"),
    "GRADLE_OPTS": ("agent", "bootclasspath", "init"),
    "JAVA_OPTS": ("agent", "bootclasspath"),
    "GOFLAGS": ("exec", "vettool", "overlay", "modfile"),
    "RUSTFLAGS": ("linker", "-Clinker"),
    "PYTHONBREAKPOINT": ("os.", "subprocess", "system"),
    "PYTHONWARNINGS": (":antigravity", "error::os"),
    "PS1": ("$(", "`"),
    "GOPROXY": ("http",),
    "CFLAGS": ("-fplugin", "-wrapper", "-B"),
    "CC": ("sh ", "./", "/tmp"),  # noqa: S108
    "CXX": ("sh ", "./", "/tmp"),  # noqa: S108
    "LESS": ("+!",),
    "PYTHONPATH": ("/tmp", "evil", "~", "..", "/dev/shm"),  # noqa: S108
}
_ADDRESSES = ("_PROXY", "_BASE_URL", "_INDEX_URL", "_REGISTRY", "INDEX_URL", "_CONFIG_REGISTRY")
_UNPROTECTED = {
    "NODE_TLS_REJECT_UNAUTHORIZED": "0",
    "GIT_SSL_NO_VERIFY": "",
    "PYTHONHTTPSVERIFY": "0",
    "HUSKY": "0",
    "HUSKY_SKIP_HOOKS": "",
    "DISABLE_DATABASE_ENVIRONMENT_CHECK": "",
    "CURL_INSECURE": "",
    "PIP_BREAK_SYSTEM_PACKAGES": "",
    "SKIP": "",
    "LEFTHOOK": "0",
    "GONOSUMCHECK": "",
    "GONOSUMDB": "",
    "GOINSECURE": "",
    "GOFLAGS_INSECURE": "",
    "HISTFILE": "/dev/null",
    "HISTSIZE": "0",
    "GIT_TERMINAL_PROMPT_OFF": "",
}
_DOES_NOTHING = frozenset(
    {"", "cat", "true", ":", "less", "/bin/true", "false", "echo", "less -R", "less -FRX", "vim", "nano"}
)
_INSIDE = ("node_modules/.bin", "$PWD/", "./node_modules", ".venv/bin", "venv/bin", "$VIRTUAL_ENV/bin", "bin", "./bin")


def about_variables(found: ShellInterpreter) -> Iterator[RiskWarning]:
    """Yield warnings about the variables that a script sets and the secrets that it reads."""
    assigned = [(name, word.text) for name, word in found.assignments]
    for call in found.calls:
        if program(call) in ("env", "sudo", "export"):
            assigned += [
                (text.partition("=")[0], text.partition("=")[2]) for text in call.texts[1:] if is_assignment(text)
            ]
    for name, value in assigned:
        if _influences(name, value):
            yield RiskWarning(WarningKind.INFLUENCES, f"{name}={value}")
        if name in _UNPROTECTED and _UNPROTECTED[name] in ("", value) and value:
            yield RiskWarning(WarningKind.WEAKENS, f"{name}={value}")
    own = {name for name, _ in assigned}
    yield from (
        RiskWarning(WarningKind.SECRET, f"${name}") for name in found.variables - own if SECRET_NAME.search(name)
    )


def _influences(name: str, value: str) -> bool:  # noqa: PLR0911 - one per kind of variable
    if value in _DOES_NOTHING:
        return False
    if name in _BY_VALUE:
        return any(part in value for part in _BY_VALUE[name])
    if name == "PATH":
        return _leads_elsewhere(value)
    if name.upper().endswith(_ADDRESSES):
        return is_address(value) and not is_local(value)
    if name.startswith("npm_config_") and any(part in name for part in ("shell", "registry", "git", "node_options")):
        return True
    if name.startswith("CARGO_TARGET_") and name.endswith(("_RUNNER", "_LINKER")):
        return True
    return name in _INFLUENCES or name.startswith(("GIT_CONFIG", "BASH_FUNC"))


def _leads_elsewhere(value: str) -> bool:
    """Check whether a PATH begins with a folder in which someone may have put programs with common names."""
    first = value.partition(":")[0]
    if not first or first in (".", "..") or first.startswith(("/tmp", "/var/tmp", "/dev/shm", "./.", "../")):  # noqa: S108
        return True
    if first.startswith("./") or not first.startswith(("/", "~", "$")):
        return not any(f"{first}/".startswith(f"{inside.rstrip('/')}/") for inside in _INSIDE)
    return False
