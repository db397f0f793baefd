/* printa in END sees everything */
BEGIN { @["x"] = sum(4); @["y"] = sum(3); exit(0); }
END { printa("%s %@d\n", @); printf("done\n"); }
