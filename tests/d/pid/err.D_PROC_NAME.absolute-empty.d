/* run: -c @once@ */
pid$target::-: { exit(0); }
