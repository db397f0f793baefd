/* run: -qs @file@ -c @lined@ */
pid$target:a.out:nowhere:lined.c@39 { }
