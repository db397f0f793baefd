BEGIN { trace(0179); exit(0); }
