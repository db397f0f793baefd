/* command: -c 'nosuch-program with words' -n BEGIN */
