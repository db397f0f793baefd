/* run: -L @dir@/class */
BEGIN { exit(0); }
