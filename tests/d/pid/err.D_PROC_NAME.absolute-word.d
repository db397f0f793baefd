/* run: -c @once@ */
pid$target::-:entry { exit(0); }
