/* run: -c @once@ */
pid$target:a.out:nosuch*:entry { exit(0); }
