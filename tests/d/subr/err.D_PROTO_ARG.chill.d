/* refused */
BEGIN { chill("9"); exit(0); }
