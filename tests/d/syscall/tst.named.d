/* a process that a predicate names is traced; no other is, though other clauses admit it */
/* target: doze 30000 */
/* run: -q -s @file@ @pid@ */
inline int OPT_PID = 1;
inline int PID = $1;
syscall::nanosleep:entry /(OPT_PID == 0 && execname == "doze") || (OPT_PID == 1 && PID == pid)/ { naps++; }
syscall::nanosleep:return /naps > 10 && pid == PID && execname == "doze"/ { exit(0); }
syscall:::entry /pid != $1/ { others++; }
END { printf("%d %d\n", naps > 10, others); }
