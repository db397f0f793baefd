/* refused by name until it is written */
BEGIN { freopen("x"); }
