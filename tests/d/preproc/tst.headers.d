/* -H: the files included are told on standard error */
/* run: -C -H -I @dir@ */
#include "values.h"
BEGIN { printf("%d\n", VALUE); exit(0); }
