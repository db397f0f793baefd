/* in a line of the clause */
/* run: -s @file@ */
BEGIN { @["k"] = sum(3); printa("%s=%@d", @); exit(0); }
