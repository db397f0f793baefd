BEGIN /ustack()/ { }
