/* what happens anyway may be asked for */
/* run: -x bufpolicy=switch -x nspec=1 -x agghist=no -x stackindent=14 -x stdc=a -x version=1.13 */
BEGIN { exit(0); }
