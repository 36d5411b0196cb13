# Completion of mailstop in fish: mailstop completion fish | source
function __mailstop_candidates
    set --local words (commandline --tokenize --cut-at-cursor --current-process)
    set --local found (printf '%s\n' $words[2..] (commandline --current-token --cut-at-cursor) | $words[1] completion candidates 2>/dev/null)
    if string match --quiet '/files*' -- "$found[1]"
        __fish_complete_path (commandline --current-token --cut-at-cursor)
    else
        printf '%s\n' $found
    end
end
complete --command mailstop --no-files --keep-order --arguments '(__mailstop_candidates)'
