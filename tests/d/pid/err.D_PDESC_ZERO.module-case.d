/* run: -c @once@ */
pid$target:ONCE:f:entry { exit(0); }
