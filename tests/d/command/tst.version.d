/* -V has the version of the language in DTrace's own words. */
/* command: --version */
