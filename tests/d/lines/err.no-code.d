/* run: -qs @file@ -c @lined_O0@ */
pid$target:a.out::lined.c@29 { }
