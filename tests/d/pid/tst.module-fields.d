/* -m and -P name all functions of a module or process */
/* command: -q -m 'pid$target:once /probename == "entry" && probefunc == "f"/ { printf("%s\n", probemod); }' -c @once@ */
