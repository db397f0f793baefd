/* directories of dtrace in BEGIN, of the process at a probe */
/* run: -c @once@ */
BEGIN { printf("%d %s\n", cwd == "@@", root); mine = cwd; }
pid$target:a.out:f:entry { printf("%d %s\n", cwd == mine, root); }
