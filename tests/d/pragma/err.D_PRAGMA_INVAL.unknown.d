#pragma D nosuch
BEGIN { exit(0); }
