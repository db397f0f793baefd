/* -e without a program compiles nothing */
/* command: -e */
