/* run: -qs @file@ -c @lined@ */
pid$target:a.out:sum:inlined { }
