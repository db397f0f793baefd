/* run: -x nspec=2 -x droptags */
/* counted; the tag of the message */
BEGIN { speculation(); speculation(); speculation(); speculation(); exit(0); }
