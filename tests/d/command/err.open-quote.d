/* command: -n BEGIN -c "/bin/echo 'x" */
