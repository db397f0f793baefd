inline string x = 5;
BEGIN { exit(0); }
