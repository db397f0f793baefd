/* refused */
BEGIN { @a = count(); this->x = strlen(@a); exit(0); }
