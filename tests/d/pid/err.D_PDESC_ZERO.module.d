/* run: -c @once@ */
pid$target:libnosuch.so:f:entry { exit(0); }
