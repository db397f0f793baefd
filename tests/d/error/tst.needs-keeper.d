/* an ERROR clause that needs the keeper, for a fault of a jump */
/* run: -c @once@ */
dtrace:::ERROR { printf("%d %s\n", arg4, cwd == "" ? "none" : "some"); }
pid$target:a.out:f:entry { x = *(int *)copyin(0, 4); }
