/* run: -c @floats@ */
pid$target:a.out:struct_between:entry { printf("%.2f %.2f %.2f %.2f", args[0], args[1].re, args[1].im, args[2]); }
