/* run: -c @typed@ */
pid$target:a.out:narrow:0 { trace(args[0]); }
