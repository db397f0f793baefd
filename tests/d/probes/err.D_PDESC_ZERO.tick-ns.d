tick-1ns { exit(0); }
BEGIN { exit(0); }
