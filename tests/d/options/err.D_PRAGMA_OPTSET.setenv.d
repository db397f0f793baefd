#pragma D option setenv=A=1
BEGIN { exit(0); }
