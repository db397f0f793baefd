/* refused by name until it is written */
BEGIN { bcopy((void *)1, (void *)2, 3); }
