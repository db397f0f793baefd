/* run: -c @typed@ */
pid$target:a.out:mixed:return { trace(args[1]); }
