/* without it children are not traced */
/* run: -c "@family@ fork" */
pid$target:a.out:work:entry { @ = count(); }
proc:::create { printf("created\n"); }
proc:::start { printf("started\n"); }
END { printa("%@d\n", @); }
