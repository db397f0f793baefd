/* a library defines; it enables nothing */
/* run: -L @dir@/clause */
BEGIN { exit(0); }
