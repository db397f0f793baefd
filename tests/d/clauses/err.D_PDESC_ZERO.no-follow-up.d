/* refused: the clause without probes gives one error, and defines x */
nosuch:::probe { x = 1; y = args[3] + undefined; }
BEGIN { exit(x); }
