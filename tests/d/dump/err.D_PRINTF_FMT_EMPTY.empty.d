BEGIN { dump(""); exit(0); }
