/* command: -x bpflogsize=1m -n BEGIN */
