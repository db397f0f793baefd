#pragma D option strsize=large
BEGIN { exit(0); }
