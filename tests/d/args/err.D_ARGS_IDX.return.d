/* run: -c @typed@ */
pid$target:a.out:narrow:return { trace(args[2]); }
