/* run: -c @once@ */
pid$target:libc:-:1234 { exit(0); }
