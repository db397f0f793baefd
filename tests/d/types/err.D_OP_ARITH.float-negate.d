float x;
BEGIN { trace(-x); exit(0); }
