/* run: -L @dir@/cycle */
BEGIN { exit(0); }
