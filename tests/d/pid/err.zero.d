/* the example of the reference */
/* command: -n 'pid0:::entry' */
