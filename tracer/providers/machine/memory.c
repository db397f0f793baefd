/* SPDX-License-Identifier: MIT */
/* The provider vminfo: what counts in the kernel's statistics of memory. */
#include "tracer/providers/machine/machine.h"

#include <linux/perf_event.h>

static const struct kernel_view once = {.args = {MACHINE_ONE}};
static const struct kernel_view scanned = {.args = {MACHINE_FIELD("nr_scanned")}};
static const struct kernel_view reclaimed = {.args = {MACHINE_FIELD("nr_reclaimed")}};

/* A counter of the kernel, each event. */
static const struct kernel_event major = {.type = PERF_TYPE_SOFTWARE,
					  .config = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
					  .value = 1,
					  .view = &once};

static const struct provider_argument pages[] = {{"uint64_t", NULL}};

static const char no_reason[] = "the kernel's event of a page fault does not tell what "
				"the page becomes: pf:::user has its address",
		  no_pages[] = "no event of the kernel tells of pages that come from a "
			       "disk or go there: io:::start has the requests";

static const struct machine_row rows[] = {
	{"as_fault", MACHINE_EVENT("exceptions", "page_fault_user", &once),
	 MACHINE_ARGS(pages)},
	{"kernel_asflt", MACHINE_EVENT("exceptions", "page_fault_kernel", &once),
	 MACHINE_ARGS(pages)},
	{"maj_fault", &major, MACHINE_ARGS(pages)},
	{"scan", MACHINE_EVENT("vmscan", "mm_vmscan_lru_isolate", &scanned),
	 MACHINE_ARGS(pages)},
	{"dfree", MACHINE_EVENT("vmscan", "mm_vmscan_lru_shrink_inactive", &reclaimed),
	 MACHINE_ARGS(pages)},
	{"anonpgout", MACHINE_EVENT("vmscan", "mm_vmscan_write_folio", &once),
	 MACHINE_ARGS(pages)},
	MACHINE_REFUSED("cow_fault", no_reason),
	MACHINE_REFUSED("prot_fault", no_reason),
	MACHINE_REFUSED("zfod", no_reason),
	MACHINE_REFUSED("hat_fault", no_reason),
	MACHINE_REFUSED("softlock", no_reason),
	MACHINE_REFUSED("pgrec", no_reason),
	MACHINE_REFUSED("pgfrec", no_reason),
	MACHINE_REFUSED("pgin", no_pages),
	MACHINE_REFUSED("pgout", no_pages),
	MACHINE_REFUSED("pgpgin", no_pages),
	MACHINE_REFUSED("pgpgout", no_pages),
	MACHINE_REFUSED("pgrrun", no_pages),
	MACHINE_REFUSED("pgswapin", no_pages),
	MACHINE_REFUSED("pgswapout", no_pages),
	MACHINE_REFUSED("swapin", no_pages),
	MACHINE_REFUSED("swapout", no_pages),
	MACHINE_REFUSED("anonfree", no_pages),
	MACHINE_REFUSED("anonpgin", no_pages),
	MACHINE_REFUSED("execfree", no_pages),
	MACHINE_REFUSED("execpgin", no_pages),
	MACHINE_REFUSED("execpgout", no_pages),
	MACHINE_REFUSED("fsfree", no_pages),
	MACHINE_REFUSED("fspgin", no_pages),
	MACHINE_REFUSED("fspgout", no_pages),
	MACHINE_REFUSED("rev", no_pages),
};

MACHINE_PROVIDER(vminfo);
