/* command: -x bpflog -n BEGIN */
