/* run: -x bpflog=off -x grabanon=no -x bpflogsize=0 */
/* what is asked for happens anyway */
BEGIN { printf("done\n"); exit(0); }
