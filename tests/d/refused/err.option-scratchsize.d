/* command: -x scratchsize=1k -n BEGIN */
