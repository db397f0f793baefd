#pragma D attributes Stable/Stable/Common provider dtrace args
BEGIN { exit(0); }
