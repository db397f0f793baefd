/* run: -c @typed@ */
pid$target:a.out:many:entry { trace(args[10]); }
