/* each program must use the last operand */
/* command: -n 'BEGIN { trace($1); }' -n 'BEGIN { exit(0); }' 5 */
