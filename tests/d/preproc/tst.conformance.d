/* run: -C -X t */
#if __STDC__
BEGIN { printf("%d\n", __STDC__); exit(0); }
#endif
