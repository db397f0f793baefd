/* run: -c @typed@ */
pid$target:a.out:take_big:entry { printf("%d %d %d", sizeof (args[0]), args[0].v[0], args[0].v[3]); }
