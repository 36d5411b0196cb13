# Completion of mailstop in bash: eval "$(mailstop completion bash)"
_mailstop() {
    local name line
    COMPREPLY=()
    while IFS=$'\t' read -r name line; do
        if [[ $name == /files ]]; then
            compopt -o default
            return
        fi
        COMPREPLY+=("$name")
    done < <(printf '%s\n' "${COMP_WORDS[@]:1:COMP_CWORD}" | "${COMP_WORDS[0]}" completion candidates 2>/dev/null)
}
complete -F _mailstop mailstop
