/* command: -U x -n BEGIN */
