BEGIN { trace(strlen(ufunc(1))); }
