/* run: -c @typed@ */
/* an int in both, but not in the same register */
pid$target:a.out:m[io]*:entry { trace(args[1]); }
