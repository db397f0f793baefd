/* command: -x cleanrate=fast -n BEGIN */
