/* processes of an || are all traced when each side names one */
/* target: doze 30000 */
/* run: -q -s @file@ @pid@ */
syscall::nanosleep:entry /(pid == $1 || pid == $1 && arg0 == 0) && n++ == 10/ { exit(0); }
END { printf("%d\n", n > 10); }
