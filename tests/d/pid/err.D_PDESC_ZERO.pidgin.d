pidgin:::entry { n++; }
