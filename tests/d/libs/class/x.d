#pragma D depends_on nothing x
