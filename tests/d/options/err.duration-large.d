/* command: -n tick-1s -x duration=1s -x duration=99999999999d */
