/* a process that only a predicate names is still traced after an exec; pid probes are gone */
/* target: execer later @doze@ 30000 */
/* run: -w -q -s @file@ @pid@ */
syscall::clock_nanosleep:entry /pid == $1 && !sent/ { sent = 1; raise(SIGUSR1); }
pid$1:a.out::entry /execname == "doze"/ { wrong++; }
proc:::exec-success /pid == $1/ { changed++; }
syscall::nanosleep:entry /execname == "doze" && naps++ == 10/ { exit(0); }
END { printf("%d %d %d\n", changed, naps > 10, wrong); }
