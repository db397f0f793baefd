/* progenyof(N): N and its descendants are traced */
/* target: busy 600 */
/* run: -q -s @file@ @pid@ */
proc:::create /pid == $1/ { created++; }
proc:::exit /progenyof($1) && pid != $1/ { ended++; }
proc:::exit /created >= 2 && ended >= 2/ { exit(0); }
END { printf("%d %d\n", created >= 2, ended >= 2); }
