/* command: -x aggsortpos=-1 -n BEGIN */
