/* run: -x aggsize=1t -x dynvarsize=100g -x specsize=3 */
BEGIN { printf("done\n"); exit(0); }
