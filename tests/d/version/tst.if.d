/* run: -x version=1.12.1 */
BEGIN { if (1) printf("yes\n"); exit(0); }
