/* command: -f 'a:b:c:d' */
