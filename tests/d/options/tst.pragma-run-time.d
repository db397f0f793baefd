#pragma D option nspec=2
#pragma D option specsize=64k
#pragma D option bufpolicy=ring
#pragma D option bufresize=manual
#pragma D option aggsortrev
#pragma D option cleanrate=50hz
BEGIN { @[1] = sum(1); @[2] = sum(2); printf("%d %d\n", speculation(), speculation()); exit(0); }
