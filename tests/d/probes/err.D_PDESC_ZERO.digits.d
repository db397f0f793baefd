/* no per-process provider */
pidgin:::entry { exit(0); }
