/* command: -m 'a:b:c' */
