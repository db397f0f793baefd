BEGIN { trace(getminor()); }
