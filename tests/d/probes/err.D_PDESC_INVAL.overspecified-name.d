/* command: -n 'a:b:c:d:e' */
