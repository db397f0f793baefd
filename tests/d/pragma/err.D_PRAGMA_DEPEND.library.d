#pragma D depends_on library x.d
BEGIN { exit(0); }
