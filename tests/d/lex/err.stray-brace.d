/* a "}" outside of a clause */
BEGIN { exit(0); }
}
