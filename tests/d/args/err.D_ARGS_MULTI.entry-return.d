/* run: -c @typed@ */
pid$target:a.out:narrow: { trace(args[1]); }
