/* the same by options */
/* run: -x cpp -x define=A=1 -x undef=B -x incdir=@dir@ -x "cppargs=-D C=3  -DE=4" */
#include "values.h"
BEGIN { printf("%d %d %d %d\n", A, VALUE, C, E); exit(0); }
