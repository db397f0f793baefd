/* a signal that has a handler: once more than without */
/* run: -w -c @caller@ */
pid$target:a.out:naps:entry { raise(14); }
proc:::signal-handle /arg0 == 14/ { n++; }
END { printf("%d\n", n); }
