/* command: -x setenv=A=b -n BEGIN */
