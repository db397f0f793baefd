/* a run that is not quiet says how many stacks were cut */
/* run: -o /dev/null -s @file@ -c @blind@ */
pid$target:a.out:marked:entry { ustack(); }
