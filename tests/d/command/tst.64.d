/* -64 is the data model */
/* command: -64 -qn 'BEGIN { trace(sizeof (long)); exit(0); }' */
