/* the second program is not compiled */
/* command: -n 'BEGIN { one; }' -n 'BEGIN { two; }' */
