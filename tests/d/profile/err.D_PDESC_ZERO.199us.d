profile:::profile-199us { exit(0); }
