/* a child that stops goes on when its parent says so */
/* run: -x follow -c "@family@ stop" */
pid$target:a.out:work:entry { @ = count(); }
END { printa("%@d\n", @); }
