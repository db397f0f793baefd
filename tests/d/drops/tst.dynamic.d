/* run: -x dynvarsize=32 */
BEGIN { a[1] = 1; a[2] = 2; a[3] = 3; a[4] = 4; printf("%d %d %d %d\n", a[1], a[2], a[3], a[4]); exit(0); }
