/* Memory that runs out in one of several processes: all end, whatever they compute together and
 * wherever it happens, and nothing stays allocated. */
#include "claim.h"
#include "house/failing_allocator.h"
#include "socket_peers.h"

#include "experior/simulate.h"
#include "experior/study.h"
#include "experior/sweep.h"

/* What is computed together; `directory` is fresh. */
typedef xp_status (*flow)(xp_peers *peers, const char *directory);

static xp_sweep *search; /* read before memory is short */

static xp_status sweep(xp_peers *peers, const char *directory) {
    xp_study_options options = xp_study_options_default();
    xp_sweep_result *result = NULL;
    options.directory = directory;
    options.peers = peers;
    options.threads = 1;
    options.pilot = true;
    const xp_status status = xp_sweep_run(search, &options, &result, NULL);
    xp_sweep_result_destroy(result);
    return status;
}

static xp_status simulate(xp_peers *peers, const char *directory) {
    (void)directory;
    static const char *const agents[] = {"naive_ts", "experior_maxent"};
    static xp_simulate_result results[2];
    xp_simulate_options options = xp_simulate_options_default();
    options.agents = agents;
    options.agent_count = 2;
    options.problems = 2;
    options.tasks = 20;
    options.episodes = 20;
    options.demonstrations = 20;
    options.peers = peers;
    options.threads = 1;
    return xp_simulate(&options, results, NULL);
}

static xp_status study(xp_peers *peers, const char *directory) {
    xp_study_options options = xp_study_options_default();
    xp_study_result *result = NULL;
    options.scale = "smoke";
    options.directory = directory;
    options.peers = peers;
    options.threads = 1;
    options.only = "successive_elimination";
    options.pilot = true;
    const xp_status status = xp_study_run("figure3b", &options, &result, NULL);
    xp_study_result_destroy(result);
    return status;
}

/* What became of one try. */
enum { THROUGH = 2, FAILED = 3, WRONG = 4 };

/* One of two processes; in process `who` the n-th allocation fails, and all after it unless `once`.
 */
static int take_part(flow run, socket_peers *all, size_t who, size_t n, bool once,
                     const char *directory) {
    failing_allocator allocator;
    const bool hungry = all->peers.rank == who;
    if (hungry) {
        failing_allocator_install(&allocator, n);
        allocator.once = once;
    }
    (void)alarm(60); /* of one that would wait for ever */
    const xp_status status = run(&all->peers, directory);
    (void)alarm(0);
    xp__allocator_install(NULL);
    if (!hungry) {
        return status == XP_OK || status == XP_ERR_MEMORY ? THROUGH : WRONG;
    }
    const bool failed = allocator.calls > n;
    return status != (failed ? XP_ERR_MEMORY : XP_OK) || allocator.alive != 0 ? WRONG
           : failed                                                           ? FAILED
                                                                              : THROUGH;
}

static int exit_of(pid_t process) {
    int ended = 0;
    return waitpid(process, &ended, 0) == process && WIFEXITED(ended) ? WEXITSTATUS(ended) : WRONG;
}

/* FAILED if the n-th allocation was made, THROUGH if there were fewer; WRONG, which is told, unless
 * both processes ended as they should. */
static int starve(flow run, size_t who, size_t n, bool once) {
    static int number;
    static socket_peers all;
    char directory[512];
    (void)snprintf(directory, sizeof directory, "%s/hungry%d", claim_directory(), number++);
    (void)fflush(NULL);
    const pid_t leader = fork(); /* so that one who waits for ever ends by itself */
    if (leader == 0) {
        socket_peers_start(&all, 2);
        const int own = take_part(run, &all, who, n, once, directory);
        const int other = all.peers.rank == 0 ? exit_of(all.child[1]) : own;
        _exit(own > other ? own : other);
    }
    const int became = exit_of(leader);
    EXPECT(became == THROUGH || became == FAILED);
    if (became == WRONG) {
        (void)printf("  process %zu, allocation %zu%s\n", who, n, once ? " alone" : "");
    }
    return became;
}

static void starve_all(flow run) {
    for (size_t who = 0; who < 2; who++) {
        for (int once = 0; once < 2; once++) {
            size_t n = 0;
            for (; starve(run, who, n, once == 1) == FAILED; n += 1 + n / 32) {
            }
            EXPECT(n > 20);
        }
    }
}

CLAIM(memory_that_runs_out_in_one_process_of_a_search_ends_all) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/search.json", claim_directory());
    FILE *file = fopen(path, "w");
    EXPECT(file != NULL &&
           fputs("{\"environments\": \"bernoulli_bandit:arms=3\", \"experts\": \"optimal\", "
                 "\"demonstrations\": 20, \"problems\": 2, \"tasks\": 2, \"episodes\": 5, "
                 "\"agents\": [\"naive_ts\", \"naive_ucb\"], "
                 "\"search\": {\"rounds\": 2, \"problems\": 1}}",
                 file) >= 0 &&
           fclose(file) == 0);
    EXPECT(xp_sweep_load(path, NULL, NULL, &search, NULL) == XP_OK);
    starve_all(sweep);
    xp_sweep_destroy(search);
}

CLAIM(memory_that_runs_out_in_one_process_of_a_simulation_ends_all) {
    starve_all(simulate);
}

CLAIM(memory_that_runs_out_in_one_process_of_a_study_ends_all) {
    starve_all(study);
}
