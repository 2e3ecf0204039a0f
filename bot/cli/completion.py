"""`claude-discord completion SHELL`: print the completion script for a shell."""

import argparse

SCRIPTS = {
    "bash": """\
# In ~/.bashrc: eval "$(claude-discord completion bash)"
_claude_discord() {
    local IFS=$'\\n'
    COMPREPLY=($(claude-discord complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
    [ ${#COMPREPLY[@]} -eq 0 ] || COMPREPLY=($(printf '%q\\n' "${COMPREPLY[@]%%$'\\t'*}"))
}
complete -o default -F _claude_discord claude-discord
""",
    "zsh": """\
# In ~/.zshrc, below compinit: eval "$(claude-discord completion zsh)"
_claude_discord() {
    local -a found
    found=("${(@f)$(claude-discord complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    found=("${(@)found/$'\\t'/:}")
    if [[ -n "${found[1]}" ]]; then _describe 'claude-discord' found; else _files; fi
}
compdef _claude_discord claude-discord
""",
    "fish": """\
# In ~/.config/fish/completions/claude-discord.fish: claude-discord completion fish | source
complete -c claude-discord -a '(claude-discord complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
""",
}


def execute(arguments: argparse.Namespace) -> int:
    print(SCRIPTS[arguments.shell], end="")
    return 0
