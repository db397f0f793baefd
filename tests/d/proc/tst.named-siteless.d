/* children that are traced because of ppid == N have no probes of the pid provider */
/* target: busy 600 */
/* run: -q -s @file@ @pid@ */
pid$1:a.out:work:entry /pid == $1/ { calls++; }
pid$1:a.out:work:entry /pid != $1/ { wrong++; }
proc:::exit /ppid == $1 && ended++ == 1/ { exit(0); }
END { printf("%d %d\n", calls > 0, wrong); }
