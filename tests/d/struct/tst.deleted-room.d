/* run: -x dynvarsize=4k */
/* deleted elements give their memory back */
struct block { char bytes[1000]; };
struct block a[int], b;
BEGIN { a[1] = b; a[1].bytes[5] = 1; a[1] = 0; }
BEGIN { a[2] = b; a[2].bytes[5] = 2; a[2] = 0; }
BEGIN { a[3] = b; a[3].bytes[5] = 3; a[3] = 0; }
BEGIN { a[4] = b; a[4].bytes[5] = 4; a[4] = 0; }
BEGIN { a[5] = b; a[5].bytes[5] = 5; a[5] = 0; }
BEGIN { a[6] = b; a[6].bytes[5] = 6; printf("%d %d\n", a[1].bytes[5], a[6].bytes[5]); exit(0); }
