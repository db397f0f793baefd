/* a file is compiled after what it depends on, whatever the names are */
/* run: -L @dir@/order */
BEGIN { printf("%d %s\n", FIRST, SECOND); exit(0); }
