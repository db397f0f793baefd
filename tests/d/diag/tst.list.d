/* always there */
/* command: -l -n diag::: */
