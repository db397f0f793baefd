/* each of 500 records, with room for four */
/* run: -x bufpolicy=wait -x bufwait=20s -x bufsize=96 -o @tmp@/out -c @plain@ */
pid$target:a.out:beta:entry { printf("beta(%d)\n", arg0); }
