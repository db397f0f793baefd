/* no declarations in clauses */
BEGIN { int x; exit(0); }
