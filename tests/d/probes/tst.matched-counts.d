/* N counts pairs of probe and clause */
/* run: -s @file@ */
BEGIN { }
BEGIN, END { }
BEGIN /0/ { }
dtrace::: { exit(0); }
