/* samples of the process that a predicate names, not of dtrace */
/* target: spin 20000 */
/* run: -q -s @file@ @pid@ */
profile-97 /pid == $1 && tid != pid/ { n++; }
profile-97 /pid != $1/ { others++; }
profile-97 /n >= 20/ { printf("%s %d\n", probename, others); exit(0); }
