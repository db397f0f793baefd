#pragma D depends_on library y.d
