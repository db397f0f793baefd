/* command: -x freopen=some -n BEGIN */
