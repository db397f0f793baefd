/* refused */
BEGIN { raise("9"); exit(0); }
