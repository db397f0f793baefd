/* the tag stands before the part */
/* command: -n 'BEGIN { x; }' */
