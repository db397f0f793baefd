/* lines are those of the script, not of what the preprocessor made */
/* run: -C -I @dir@ */
#include "values.h"
#define A 1

BEGIN { trace(unknown + A); exit(0); }
