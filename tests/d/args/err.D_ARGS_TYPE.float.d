/* run: -c @typed@ */
pid$target:a.out:mixed:entry { trace(args[0]); }
