BEGIN { trace("a" % 2); exit(0); }
