/* only pragmas */
#pragma D option quiet
