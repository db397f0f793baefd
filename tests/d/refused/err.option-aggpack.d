/* command: -x aggpack -n BEGIN */
