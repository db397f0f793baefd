/* run: -qs @file@ -c @lined@ */
pid$target:a.out::life/lined.c@39 { }
