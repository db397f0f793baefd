/* -l that lists nothing has the status of an error */
/* command: -l -n nosuch:::probe -n nosuch:::other */
