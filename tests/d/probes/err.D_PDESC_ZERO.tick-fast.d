tick-5001hz { exit(0); }
BEGIN { exit(0); }
