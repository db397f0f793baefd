/* the example of the reference */
/* command: -n BEGIN extra */
