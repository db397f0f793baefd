/* SPDX-License-Identifier: MIT */
/* before */ /* twice */ BEGIN /* after the probe */
/* a predicate next */ / /* in it */ 1 /* still */ / /* after it */
{ /* first */ x /* the name */ = /* the operator */ 5 /* the value */ ; /* after
   over lines * with / stars ** and // slashes */ printf /* call */ ( /* open */ "%d/* no comment */\n" /* format */ ,
/* own line */
x /* last argument */ ) /* close */ ; /**/ /***/ /****/ /*/ not closed yet */
	exit(/* status */ 0) /* no semicolon */ } /* the end */
