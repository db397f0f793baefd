/* macro tokens are replaced after the preprocessor */
/* run: -C -D 'FIRST=$1' -D 'TEXT=$$1' 42 */
BEGIN { printf("%d %s\n", FIRST, TEXT); exit(0); }
