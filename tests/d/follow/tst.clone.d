/* a child that shares its parent's memory is traced from its exec on */
/* run: -x follow -c "@family@ clone" */
pid$target:a.out:work:entry { @[pid] = count(); }
proc:::create, proc:::start, proc:::exec-success, proc:::exit { @what[probename] = count(); }
END { printa("%@d\n", @); printa("%s %@d\n", @what); }
