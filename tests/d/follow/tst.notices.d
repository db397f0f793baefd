/* the ends of children are no news */
/* command: -x follow -c "@family@ kill" -n 'pid$target:a.out:work:entry { @[probemod, probefunc] = count(); }' */
