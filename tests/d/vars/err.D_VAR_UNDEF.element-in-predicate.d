BEGIN /a[self->nosuch]++ == 0/ { exit(0); }
