"""Programs that are known for what they do not do."""

READERS = frozenset(
    {
        *("cat", "bat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "ls", "ll", "tree", "wc"),
        *("diff", "cmp", "stat", "file", "sort", "uniq", "jq", "yq", "cut", "nl", "od", "xxd", "strings", "find", "fd"),
        *("du", "readlink", "realpath", "basename", "dirname", "test", "[", "md5sum", "sha256sum", "cksum", "column"),
        *("cd", "pushd", "which", "type"),
    }
)
"""They change nothing, whatever file they are given."""
LISTERS = frozenset(
    {"ls", "ll", "tree", "stat", "test", "[", "du", "realpath", "readlink", "cd", "chmod", "rm", "mkdir"}
)
"""They don't show what is in a file."""
NO_PATHS = frozenset({"echo", "printf", "kill", "sleep", "exit", "true", "false", "seq", "date"})
PATTERN_FIRST = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "sed", "awk", "gawk", "jq", "yq", "perl", "tr", "expr"}
)
GIT_READERS = frozenset(
    {
        *("status", "log", "diff", "show", "add", "blame", "ls-files", "check-ignore", "rev-parse", "grep", "commit"),
        "branch",
    }
)
CALL_NOBODY = (
    READERS
    | NO_PATHS
    | PATTERN_FIRST
    | {"apk", "apt", "apt-get", "brew", "cp", "dnf", "man", "mv", "pacman", "rm", "touch", "yum"}
)
"""A program's name among their arguments is a file, a package or a word."""
