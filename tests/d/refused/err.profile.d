profile-97 { exit(0); }
