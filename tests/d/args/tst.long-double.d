/* run: -c @floats@ */
pid$target:a.out:extended:entry { printf("%.1f", args[0]); }
