/* command: -x snapshots=10001 -n BEGIN */
