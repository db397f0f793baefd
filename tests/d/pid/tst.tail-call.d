/* a function that ends in calls of others alone returns when they do, with their results */
/* run: -c @relay@ */
pid$target:a.out:outer:entry { printf("outer(%d)\n", (int)arg0); }
pid$target:a.out:outer:return { printf("outer %x %d %d\n", arg0, (int)arg1, args[1]); }
pid$target:a.out:half:return { print(args[1]); }
pid$target:a.out:nested:return { @nested[(int)arg1] = count(); }
