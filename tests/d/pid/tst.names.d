/* aliases keep the name they were asked by; a glob takes each address once */
/* run: -c @names@ */
pid$target:a.out:strong:entry { @[probefunc] = count(); }
pid$target:a.out:weak_name:entry { @[probefunc] = count(); }
pid$target:a.out:other_name:entry { @[probefunc] = count(); }
pid$target:a.out:*_name:entry { @glob["globs"] = count(); }
END { printa("%s %@d\n", @); printa("%s %@d\n", @glob); }
