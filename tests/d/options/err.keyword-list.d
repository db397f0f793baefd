/* command: -x keyword=no-such -n BEGIN */
