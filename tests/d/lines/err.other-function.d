/* run: -qs @file@ -c @lined@ */
pid$target:a.out:main:lined.c@39 { }
