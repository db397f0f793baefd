profile:::profile--1 { exit(0); }
