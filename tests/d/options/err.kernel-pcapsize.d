/* command: -x pcapsize=64k -n BEGIN */
