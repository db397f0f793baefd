/* command: -x version=one -n BEGIN */
