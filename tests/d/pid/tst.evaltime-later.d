/* libraries that appear later get their probes */
/* run: -x evaltime=exec -c @once@ */
#pragma D option zdefs
pid$target:libc:exit:entry { printf("%s %d\n", probefunc, (int)arg0); }
