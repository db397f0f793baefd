/* Places of a line, and the variables there. */
/* run: -lvs @file@ -c @lined_O0@ */
pid$target:a.out:gone:lined.c@73 { }
