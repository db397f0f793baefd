/* run: -c @floats@ */
pid$target:a.out:extended:return { trace(args[1]); }
