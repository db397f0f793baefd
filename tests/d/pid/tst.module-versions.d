/* a name without its version, as far as a dot; the canonical name is shown */
/* run: -c @once@ */
pid$target:libc:_exit:entry { printf("%s\n", probemod); }
pid$target:libc.so:_exit:entry { printf("%s\n", probemod); }
pid$target:libc.so.6:_exit:entry { printf("%s\n", probemod); }
pid$target:libc.*:_exit:entry { printf("%s\n", probemod); }
