#!/usr/sbin/dtrace -s
BEGIN { printf("skipped\n"); exit(0); }
