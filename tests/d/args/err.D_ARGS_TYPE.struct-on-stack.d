/* run: -c @typed@ */
pid$target:a.out:take_big:entry { trace(sizeof (args[0])); }
