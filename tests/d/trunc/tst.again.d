/* removed keys come back from zero */
BEGIN { @["a"] = sum(5); trunc(@); }
tick-10 { @["a"] = sum(2); exit(0); }
