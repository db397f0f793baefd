/* a thousand keys */
int i;
tick-5000 { @[i] = count(); }
tick-5000 /++i == 500/ { exit(0); }
