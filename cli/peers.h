/* peers.h: the processes of one mpirun or srun, which run one command together. */
#ifndef CLI_PEERS_H
#define CLI_PEERS_H

#include "options.h"

/* Where experior-mpi.so may be (cmake/mpi.cmake). */
extern const char *const cli_mpi_places[];

/* Joins the others, if the program was started with some; a process that does not lead says nothing
 * from then on. False: it cannot be done, and a sentence says why. */
bool cli_peers_start(void);
/* Whether a launcher started several processes. */
bool cli_peers_launched(void);
/* Whether this is the first of the processes that a launcher started, or the only one. */
bool cli_peers_first(void);
/* The others; NULL: there are none. */
xp_peers *cli_peers(void);
/* True in the process that writes files and prints. */
bool cli_leads(void);
/* Leaves with an exit code, which it returns. */
int cli_peers_end(int code);
/* The value of --threads; in a process with peers, if none was typed, one. */
size_t cli_threads(const cli_arguments *arguments);

#endif
