/* every member of the family, each process once */
/* run: -x follow -c "@family@ fork" */
pid$target:a.out:work:entry { @[pid] = count(); }
END { printa("%@d\n", @); }
