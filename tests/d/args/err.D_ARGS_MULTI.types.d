/* run: -c @typed@ */
pid$target:a.out:[nt]a*:entry { trace(args[0]); }
