/* command: -x amin=Stable -n BEGIN */
