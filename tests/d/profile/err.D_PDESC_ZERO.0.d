profile:::profile-0 { exit(0); }
