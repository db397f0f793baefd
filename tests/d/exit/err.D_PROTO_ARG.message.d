BEGIN { exit("one"); }
