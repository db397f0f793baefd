/* run: -x bufsize=64g -x quietresize */
BEGIN { printf("done\n"); exit(0); }
