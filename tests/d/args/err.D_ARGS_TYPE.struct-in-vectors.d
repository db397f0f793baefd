/* run: -c @floats@ */
pid$target:a.out:struct_between:entry { trace(sizeof (args[1])); }
