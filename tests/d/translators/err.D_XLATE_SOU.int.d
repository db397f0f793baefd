translator int < int N > { };
BEGIN { exit(0); }
