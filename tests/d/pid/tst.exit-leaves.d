/* exit() in a clause ends tracing: later clauses of that firing do not run */
/* run: -c @dies@ */
pid$target:a.out:doomed:entry /arg0 == 2/ { exit(4); }
pid$target:a.out:doomed:entry { @ = max(arg0); }
