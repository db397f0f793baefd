/* the end is that of the last of the family */
/* run: -x follow -c "@family@ last" */
#pragma D option follow
pid$target:a.out:work:entry { @ = count(); }
proc:::exit { ends++; }
END { printa("%@d\n", @); printf("%d\n", ends); }
