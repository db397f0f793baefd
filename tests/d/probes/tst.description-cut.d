/* the description is cut at the first { / or ; */
/* command: -n 'BEGIN/1/{exit(0);}' -n 'END  /0/ { }' -n 'BEGIN{}' */
