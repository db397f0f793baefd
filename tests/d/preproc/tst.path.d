/* another preprocessor */
/* run: -C -x cpppath=/usr/bin/cpp */
BEGIN { printf("%d\n", __SUNW_D); exit(0); }
