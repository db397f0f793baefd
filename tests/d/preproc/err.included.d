/* an error in a file that is included has its name and line */
/* run: -C -I @dir@ */
#include "bad.h"
BEGIN { exit(0); }
