/* command: -x zdefs=yes -n BEGIN */
