/* refused by name until it is written */
BEGIN { @ = count(); normalize(@, 2); exit(0); }
