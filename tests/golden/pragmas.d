#!/usr/sbin/dtrace -s
#
#pragma D option quiet
#pragma D ident "text"
#ident "text"
#pragma weak x
# 1 "script.d"
BEGIN
#pragma D option bufsize=4m
{
#pragma D option aggsize=1m
	x;
#line 100 "other.h"
	y y;
# 12 "script.d"
	z z;
}
