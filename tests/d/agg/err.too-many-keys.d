/* more keys than the option tregs, 8 */
/* command: -x errtags -n 'BEGIN { @[1, 2, 3, 4, 5, 6, 7, 8, 9] = count(); exit(0); }' */
