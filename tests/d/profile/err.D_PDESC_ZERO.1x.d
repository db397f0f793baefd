profile:::profile-1x { exit(0); }
