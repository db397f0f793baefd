BEGIN { x = usym(1); }
