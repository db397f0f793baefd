/* command: -x symlimit=much -n BEGIN */
