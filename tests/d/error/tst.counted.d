/* a fault inside ERROR is counted, not met by ERROR */
/* run: -c @once@ */
dtrace:::ERROR { n++; x = *(int *)copyin(0, 4); }
pid$target:a.out:f:entry { x = *(int *)copyin(0, 4); }
END { printf("%d\n", n); }
