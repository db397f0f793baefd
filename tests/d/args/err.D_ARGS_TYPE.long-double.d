/* run: -c @floats@ */
pid$target:a.out:extended:entry { trace(args[0]); }
