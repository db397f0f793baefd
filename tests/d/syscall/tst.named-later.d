/* the process that a later clause of the pid provider names has the probes of earlier ones */
/* target: doze 30000 */
/* run: -q -s @file@ @pid@ */
syscall::nanosleep:entry { naps++; }
proc:::signal-handle { handled++; }
pid$1:a.out:doze:entry { calls++; }
pid$1:a.out:doze:entry /calls > 20 && naps > 10 && handled > 10/ { exit(0); }
END { printf("%d\n", calls > 20); }
