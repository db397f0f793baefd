/* run: -x bufsize=64g */
/* a size that cannot be had is halved until it can */
BEGIN { printf("done\n"); exit(0); }
