profile:::profile-10000000000ns { exit(0); }
