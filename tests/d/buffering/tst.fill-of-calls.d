/* the first records; the program runs on untraced */
/* run: -x bufpolicy=fill -x bufsize=304 -o @tmp@/out -c @plain@ */
pid$target:a.out:beta:entry { printf("beta(%d)\n", arg0); }
END { printf("end\n"); }
