/* children one after the other */
/* run: -x follow -c "@family@ many 40" */
pid$target:a.out:work:entry, pid$target:a.out:work:return { @[probename] = count(); }
proc:::exit { n++; }
END { printa("%s %@d\n", @); printf("%d\n", n); }
