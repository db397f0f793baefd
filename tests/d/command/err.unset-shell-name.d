/* -i takes any specifier */
/* command: -i nosuch */
