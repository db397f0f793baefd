/* #ident and pragmas of others are ignored */
#ident "x"
#pragma ident "y"
#pragma D ident "z"
#pragma pack(1)
#
BEGIN { printf("ok\n"); exit(0); }
