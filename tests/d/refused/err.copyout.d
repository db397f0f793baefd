/* refused by name until it is written */
BEGIN { copyout((void *)1, 2, 3); }
