/* the example of the reference */
/* command: -n 'nosuch:::probe' */
