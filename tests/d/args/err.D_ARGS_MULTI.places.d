/* run: -c @typed@ */
/* an int in both, but not in the same register */
pid$target:a.out:mixed:entry,pid$target:a.out:move_point:entry { trace(args[1]); }
