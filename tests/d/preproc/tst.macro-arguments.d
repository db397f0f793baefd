/* macro tokens are replaced behind the preprocessor */
/* run: -C -D 'FIRST=$1' -D 'TEXT=$$1' 42 */
BEGIN { printf("%d %s\n", FIRST, TEXT); exit(0); }
