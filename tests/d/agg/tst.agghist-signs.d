#pragma D option agghist
/* both signs: to both sides of an axis */
BEGIN { @[1] = sum(-5); @[2] = sum(15); @[3] = sum(0); exit(0); }
