profile:::profile- { exit(0); }
