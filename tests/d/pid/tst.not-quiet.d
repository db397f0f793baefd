/* lines, counts and the exit of the process */
/* run: -s @file@ -c @once@ */
pid$target:a.out:f:entry { trace((int)arg0); }
