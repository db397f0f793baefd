/* -H: the files included are reported on standard error */
/* run: -C -H -I @dir@ */
#include "values.h"
BEGIN { printf("%d\n", VALUE); exit(0); }
