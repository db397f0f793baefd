/* command: -x tailcall=never -n BEGIN */
