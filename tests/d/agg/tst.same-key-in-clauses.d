/* updates of several clauses meet */
BEGIN { @["k", 1] = sum(1); }
BEGIN { @["k", 1] = sum(10); @["k", 2] = sum(5); }
BEGIN { @["k", 1] = sum(100); exit(0); }
