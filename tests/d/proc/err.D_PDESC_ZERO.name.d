/* run: -c @once@ */
proc:::exits { exit(0); }
