/* run: -C */
#include "no-such-file.h"
BEGIN { exit(0); }
