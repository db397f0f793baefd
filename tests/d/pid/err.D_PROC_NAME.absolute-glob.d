/* run: -c @once@ */
pid$target::-:12* { exit(0); }
