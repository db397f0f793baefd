#pragma D depends_on nothing nosuch
BEGIN { exit(0); }
