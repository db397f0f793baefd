/* command: -x ustackframes=5 -n BEGIN */
