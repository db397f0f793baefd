/* run: -c @once@ */
pid$target:a.out:main:1 { exit(0); }
