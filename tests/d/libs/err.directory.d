/* a directory that was asked for must be there */
/* run: -L @dir@/none */
BEGIN { exit(0); }
