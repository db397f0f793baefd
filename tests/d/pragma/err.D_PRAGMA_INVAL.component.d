provider p { };
#pragma D attributes Stable/Stable/Common provider p probe
BEGIN { exit(0); }
