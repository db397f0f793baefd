/* a signal that ends the process */
/* run: -w -c @idle@ */
pid$target:a.out:nap:entry { raise(15); }
proc:::exit { printf("%d\n", arg0); }
