/* one number for each probe and clause, from 1 */
BEGIN { printf("%d %d\n", epid, id); }
END { printf("%d %d\n", epid, id); }
BEGIN { printf("%d %d\n", epid, id); exit(0); }
