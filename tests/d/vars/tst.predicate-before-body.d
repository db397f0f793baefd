/* a predicate may use what the body of its clause assigns */
BEGIN /!seen/ { seen = 1; printf("first\n"); }
BEGIN /!seen/ { seen = 1; printf("second\n"); }
BEGIN /seen/ { exit(0); }
