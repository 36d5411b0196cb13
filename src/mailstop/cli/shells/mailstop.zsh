#compdef mailstop
# Completion of mailstop in zsh: eval "$(mailstop completion zsh)"
_mailstop() {
    local -a lines described
    lines=("${(@f)$(printf '%s\n' "${(@)words[2,CURRENT]}" | "${words[1]}" completion candidates 2>/dev/null)}")
    if [[ ${lines[1]} == /files* ]]; then
        _files
        return
    fi
    described=("${(@)${(@)lines//:/\\:}/$'\t'/:}")
    _describe -V mailstop described
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _mailstop mailstop
