/* command: -x check -n BEGIN */
