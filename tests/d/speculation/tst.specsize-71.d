/* run: -x specsize=71 */
/* one byte less: the clause ends at speculate() */
int n;
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); n = 1; printf("%lld%lld%lld%lld%lld%lld%lld\n", (long long)1, (long long)2, (long long)3, (long long)4, (long long)5, (long long)6, (long long)7); n = 2; }
BEGIN { printf("%d\n", n); } BEGIN { commit(self->s); }
BEGIN { exit(0); }
