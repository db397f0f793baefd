/* run: -c @typed@ */
pid$target:a.out:mixed:entry { trace(sizeof (args[2])); }
