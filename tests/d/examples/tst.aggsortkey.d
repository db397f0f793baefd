#pragma D option aggsortkey
BEGIN { @[3] = sum(1); @[1] = sum(9); @[-1] = sum(5); exit(0); }
