/* ::: means probes that have a function */
::: { exit(0); }
