profile-1.5s { exit(0); }
