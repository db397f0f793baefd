/* a program of declarations compiles but enables nothing */
/* run: -s @file@ */
int x;
