/* command: -x evaltime=later -n BEGIN */
