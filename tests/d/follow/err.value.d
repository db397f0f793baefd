/* run: -x follow=children */
BEGIN { exit(0); }
