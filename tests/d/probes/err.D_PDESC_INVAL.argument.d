/* no such operand */
BEGIN$1 { exit(0); }
