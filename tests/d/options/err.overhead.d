/* command: -x overhead=less -n BEGIN */
