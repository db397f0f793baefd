/* run: -c @typed@ */
pid$target:a.out:nothing:return { trace(args[1]); }
