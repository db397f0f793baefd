/* run: -c @floats@ */
pid$target:a.out:complex_between:entry { trace(args[1]); }
