/* the version in force is the one that the preprocessor tells */
/* run: -C -x version=1.6.2 */
BEGIN { printf("%x\n", __SUNW_D_VERSION); exit(0); }
