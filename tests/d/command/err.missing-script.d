/* command: -s nosuch.d */
