/* command: -X q -n BEGIN */
