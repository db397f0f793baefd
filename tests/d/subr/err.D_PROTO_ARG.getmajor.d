BEGIN { trace(getmajor("a")); }
