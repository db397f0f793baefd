/* run: -x bufresize=manual -x temporal=off -x scratchsize=64k -x nspec=8 -x specsize=1m */
BEGIN { printf("%d\n", speculation()); exit(0); }
