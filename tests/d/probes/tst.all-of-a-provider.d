/* a provider alone stands for all its probes */
dtrace::: { printf("%s %d\n", probename, id); }
BEGIN { exit(0); }
