/* command: -x stdc=q -n BEGIN */
