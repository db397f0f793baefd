/* A file is listed that no process runs, with the types of arguments. */
/* command: -x object=@noted@ -lv -n noted:::guarded -n noted::forms:floats -n noted:::strange */
