/* command: -x scratchsize=65537 -n BEGIN */
