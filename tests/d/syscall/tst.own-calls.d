/* what the name of the process costs is no call of the program */
/* run: -c "@plain@ 100" */
pid$target:a.out::entry { @names[execname == "plain", ppid > 0] = count(); }
syscall::prctl:entry, syscall::prctl:return, syscall::getppid:entry { @ = count(); }
END { printa("%d %d %@d\n", @names); printa("%@d calls\n", @); }
