/* in a file a type's name before the star begins a declaration, unless there is a : */
/* run: -Z */
int*pointer;
int*:::x { }
BEGIN { printf("%d\n", pointer == NULL); exit(0); }
