dtrace:::BEGIN { printf("%s:%s:%s:%s\n", probeprov, probemod, probefunc, probename); exit(0); }
