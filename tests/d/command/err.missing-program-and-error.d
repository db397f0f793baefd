/* the process comes before the programs */
/* command: -c /nosuch/program -n 'BEGIN { x; }' */
