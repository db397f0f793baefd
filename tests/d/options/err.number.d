/* command: -x aggsortpos=1x -n BEGIN */
