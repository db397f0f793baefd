#error "this platform"
BEGIN { exit(0); }
