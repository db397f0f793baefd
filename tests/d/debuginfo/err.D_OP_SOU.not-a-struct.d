/* run: -c @typed@ */
pid$target:a.out:narrow:entry { trace(args[0].x); }
