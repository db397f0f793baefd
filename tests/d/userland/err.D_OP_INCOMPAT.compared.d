/* run: -c @typed@ */
pid$target:a.out:array_and_callback:entry { trace(args[0] == (int *)arg0); }
