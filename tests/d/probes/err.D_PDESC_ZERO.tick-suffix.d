tick-5foo { exit(0); }
BEGIN { exit(0); }
