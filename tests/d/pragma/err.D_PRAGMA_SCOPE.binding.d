#pragma D binding "1.0" strlen
BEGIN { exit(0); }
