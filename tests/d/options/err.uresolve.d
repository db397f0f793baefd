/* command: -x uresolve -n BEGIN */
