/* run: -qs @file@ -c @lined@ */
pid$target:a.out::nothing.c@29 { }
