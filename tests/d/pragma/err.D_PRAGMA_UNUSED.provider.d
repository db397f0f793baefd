#pragma D attributes Stable/Stable/Common provider p args
BEGIN { exit(0); }
