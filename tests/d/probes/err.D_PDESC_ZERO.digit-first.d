/* a specifier does not start with a digit */
4x:::BEGIN { exit(0); }
