/* more than there are */
BEGIN { @["a"] = sum(1); @["b"] = sum(5); @["c"] = sum(3); @["d"] = sum(-7); @["e"] = sum(5); exit(0); }
END { trunc(@, 100); }
