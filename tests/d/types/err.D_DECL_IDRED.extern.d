int g;
extern int g;
BEGIN { exit(0); }
