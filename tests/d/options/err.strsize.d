/* command: -x strsize=abc -n BEGIN */
