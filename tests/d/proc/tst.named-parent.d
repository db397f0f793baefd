/* ppid == N: the children of N are traced, also those that it forks later */
/* target: busy 600 */
/* run: -q -s @file@ @pid@ */
proc:::start /ppid == $1/ { started++; }
proc:::exit /ppid == $1 && args[0] == 1/ { ended++; }
proc:::exit /ended >= 2/ { exit(0); }
END { printf("%d %d\n", started >= 2, ended >= 2); }
