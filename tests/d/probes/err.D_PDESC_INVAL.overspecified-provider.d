/* command: -P 'a:b' */
