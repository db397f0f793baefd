/* run: -L @dir@/missing */
BEGIN { exit(0); }
