/* command: -c /nosuch/program -n BEGIN */
