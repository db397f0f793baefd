/* what a child did before its exec counts as what it does after */
/* run: -x follow -c "@family@ exec" */
pid$target:a.out:work:entry { @[pid == $target] = count(); }
END { printa("%@d\n", @); }
