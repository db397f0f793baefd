/* command: -x grabanon=on -n BEGIN */
