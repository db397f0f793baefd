/* run: -c @once@ */
pid$target:a.out:main:beginning { exit(0); }
