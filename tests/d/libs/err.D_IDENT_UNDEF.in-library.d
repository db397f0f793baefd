/* run: -L @dir@/bad */
BEGIN { exit(0); }
