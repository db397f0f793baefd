BEGIN { trace((*(int (*)[3])64)[3]); exit(0); }
