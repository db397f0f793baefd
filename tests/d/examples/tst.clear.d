BEGIN { @["a"] = sum(100); exit(0); }
END { clear(@); }
