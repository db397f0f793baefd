/* empty fields on the left are no fields */
/* command: -x errtags -f ::go: */
