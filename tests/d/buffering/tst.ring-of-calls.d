/* what is left of 500 records */
/* run: -x bufpolicy=ring -x bufsize=168 -o @tmp@/out -c @plain@ */
pid$target:a.out:beta:entry { printf("beta(%d)\n", arg0); }
