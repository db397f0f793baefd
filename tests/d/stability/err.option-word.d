/* command: -x amin=Stable/Stable/Nothing -n BEGIN */
