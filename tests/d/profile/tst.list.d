/* the rates that exist before they are asked for */
/* command: -l -P profile */
