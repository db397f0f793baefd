BEGIN { if ("text") trace(1); exit(0); }
