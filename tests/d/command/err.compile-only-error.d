/* -e finds errors */
/* command: -e -n 'BEGIN { x; }' */
