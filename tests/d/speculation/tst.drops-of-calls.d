/* specsize holds for each thread's records of each speculation */
/* run: -x specsize=1k -o @tmp@/out -c @plain@ */
BEGIN { s = speculation(); }
pid$target:a.out:beta:entry { speculate(s); printf("beta(%d)\n", arg0); }
pid$target:a.out:gamma_once:entry { commit(s); }
