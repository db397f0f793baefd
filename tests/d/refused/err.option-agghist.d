/* command: -x agghist -n BEGIN */
