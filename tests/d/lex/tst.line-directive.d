/* #line and # move the position */
#line 100 "other.d"
# 200 "third.d" 2
#
#ident "nothing"
#pragma ident "nothing"
#pragma once upon a time
BEGIN { printf("ok\n"); exit(0); }
