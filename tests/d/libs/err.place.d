/* path and line are those of the library */
/* run: -L @dir@/bad */
BEGIN { exit(0); }
