/* run: -c @once@ */
pid$target:a.out:f:1000 { exit(0); }
