#pragma D binding "1.0" x
BEGIN { exit(0); }
