/* names match as any others */
/* command: -l -n proc:::*exit -n proc:::exec */
