tick- { exit(0); }
BEGIN { exit(0); }
