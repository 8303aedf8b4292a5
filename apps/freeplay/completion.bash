# SPDX-License-Identifier: Apache-2.0
# Completion of freeplay in bash:   source <(freeplay completion bash)
# Behind a path of --set that leads on, and behind "=", no blank is wanted; "=" breaks words, so none contains one.
_freeplay() {
    local word=${COMP_WORDS[COMP_CWORD]} line
    COMPREPLY=()
    [[ $word == "=" || ${COMP_WORDS[COMP_CWORD-1]} == "=" ]] && return
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
        "${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *[.=] ]] && compopt -o nospace
}
complete -o default -F _freeplay freeplay
