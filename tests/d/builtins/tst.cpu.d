/* cpu and curcpu: the processor where the probe fired, the same for a whole firing */
/* run: -q -s @file@ -c @once@ */
pid$target:a.out::entry { this->c = cpu; calls++; }
pid$target:a.out::entry { bad += this->c != cpu || cpu != curcpu->cpu_id || cpu < 0; @[cpu] = count(); }
syscall:::entry { bad += cpu < 0 || cpu != curcpu->cpu_id; }
BEGIN, END { bad += cpu < 0 || curcpu->cpu_pset != 0 || curcpu->cpu_lgrp != 0 || curcpu->cpu_chip != curcpu_chip; }
END { printf("%d %d\n", calls > 0, bad); clear(@); trunc(@); }
