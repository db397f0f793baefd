/* command: -x maxframes=0 -n BEGIN */
