profile:::profile-x { exit(0); }
