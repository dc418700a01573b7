/* peers.c: finds out whether the program was started by mpirun or srun, and if so loads the plug-in
 * that talks MPI. A process that runs alone loads nothing. */
#include "peers.h"

#include "output.h"
#include "progress.h"
#include "service.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static xp_peers peers = {.size = sizeof peers};
static bool joined;
static void (*leave)(const xp_peers *peers, int code);

/* A number that the launcher left in the environment; -1: none. `name`, if not NULL: its name. */
static long told(const char *const *names, const char **name) {
    for (; *names != NULL; names++) {
        const char *text = getenv(*names);
        if (name != NULL) {
            *name = *names;
        }
        char *end;
        if (text != NULL && *text != '\0') {
            const long value = strtol(text, &end, 10);
            if (*end == '\0' && value >= 0) {
                return value;
            }
        }
    }
    return -1;
}

/* OpenMPI, MPICH and its kin, srun; a batch script of Slurm has no tasks of a step. */
static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                     "SLURM_STEP_NUM_TASKS", NULL};
static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID",
                                    NULL};
/* The number on its machine. */
static const char *const locals[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                     "SLURM_LOCALID", NULL};

static void name_host(char *host, size_t room) {
    host[0] = '\0';
    (void)gethostname(host, room - 1);
    host[room - 1] = '\0';
}

/* What keeps a process from joining, by process 0 or, as it may be missing there alone, by the
 * first on another machine. */
static void complain_alone(long rank, const char *sentence) {
    char host[128];
    if (rank <= 0) {
        cli_complain("%s", sentence);
    } else if (told(locals, NULL) == 0) {
        name_host(host, sizeof host);
        cli_complain("process %ld, on %s: %s", rank, host, sentence);
    }
}

static bool load(const char *variable, xp_error *error) {
    char path[2 * PATH_MAX];
    if (!cli_service_find(cli_mpi_places, path, sizeof path)) {
        (void)snprintf(error->message, sizeof error->message,
                       "the program was started as one of several processes, but its plug-in "
                       "experior-mpi.so is not installed; build it with libopenmpi-dev and "
                       "openmpi-bin, or run one process alone with 'env -u %s experior ...'",
                       variable);
        return false;
    }
    /* Some MPIs load parts of their own, which look for its symbols. */
    void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    xp_status (*open)(xp_peers *, xp_error *) = NULL;
    if (plugin != NULL) {
        *(void **)&open = dlsym(plugin, "experior_peers_open");
        *(void **)&leave = dlsym(plugin, "experior_peers_close");
    }
    if (open == NULL || leave == NULL) {
        const char *reason = dlerror();
        (void)snprintf(error->message, sizeof error->message, "experior-mpi.so cannot be used: %s",
                       reason != NULL ? reason : "it is not a plug-in of ExPerior");
        return false;
    }
    return open(&peers, error) == XP_OK;
}

bool cli_peers_launched(void) {
    return told(counts, NULL) >= 2;
}

bool cli_peers_first(void) {
    return !cli_peers_launched() || told(ranks, NULL) <= 0;
}

bool cli_peers_start(void) {
    const char *variable;
    const long count = told(counts, &variable), rank = told(ranks, NULL);
    if (count < 2) {
        return true;
    }
    xp_error error = {.status = XP_OK};
    cli_progress_listen(); /* MPI may take seconds to start; the command then ends as interrupted */
    if (!load(variable, &error)) {
        complain_alone(rank, error.message);
        return false;
    }
    joined = true;
    if (peers.count == 1) {
        if (rank <= 0) {
            cli_complain(
                "the launcher started %ld processes, but MPI sees only one, so all would do the "
                "same work: use the mpirun of the MPI that the program was built with, or srun "
                "--mpi=pmix; to run one process alone, use 'env -u %s experior ...'",
                count, variable);
        }
        return false;
    }
    if (peers.rank != 0) {
        cli_output_silence();
    }
    return true;
}

xp_peers *cli_peers(void) {
    return joined && peers.count > 1 ? &peers : NULL;
}

bool cli_leads(void) {
    return !joined || peers.rank == 0;
}

/* For a process that could not even begin: the others do not know of it yet. */
static void tell_failure(void) {
    char host[128];
    xp_error error = {.status = XP_ERR_INPUT};
    name_host(host, sizeof host);
    (void)snprintf(error.message, sizeof error.message, "%.350s (on %.100s)", cli_first_complaint(),
                   host);
    xp_peers_fail(&peers, &error);
}

int cli_peers_end(int code) {
    if (joined) {
        joined = false;
        if (code != CLI_DONE && peers.rank != 0 && peers.round == 0) {
            tell_failure();
        }
        leave(&peers, code);
        /* If process 0 failed as well, this was ended with it, and the reason has been said. */
        if (code != CLI_DONE) {
            (void)fprintf(stderr, "experior: process %zu: %s\n", peers.rank, cli_first_complaint());
        }
    }
    return code;
}

size_t cli_threads(const cli_arguments *arguments) {
    return cli_peers() != NULL && !cli_was_given(arguments, "threads")
               ? 1
               : cli_integer(arguments, "threads");
}
