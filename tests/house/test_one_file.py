"""Adding an implementation is writing one file: the program with one more bandit agent, environment, sampler, study and
subcommand finds and runs each. Of the rest nothing is compiled again: the objects of the build are linked with the
new ones and with the lists that were made anew."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import claim

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("XP_BINARY_DIR", SOURCE / "build"))
CC = os.environ.get("XP_CC", "cc")
# Not optimised: nothing is measured.
CONFIGURE = ["-G", "Ninja", f"-DCMAKE_C_COMPILER={CC}", "-DCMAKE_BUILD_TYPE=", "-DCMAKE_C_FLAGS=-O0", "-DXP_TESTS=OFF",
             "-DXP_HDF5=OFF", "-DXP_SERVE=OFF", "-DXP_MPI=OFF"]

AGENT = r"""
/* one_agent.c: takes the first arm. */
#include "agent/agent_type.h"

static size_t size(const xp__agent_setup *setup) {
    (void)setup;
    return sizeof(xp__agent);
}

static xp_status init(xp__agent *agent, const xp__agent_spec *spec, xp_error *error) {
    (void)agent, (void)spec, (void)error;
    return XP_OK;
}

static void reset(xp__agent *agent, xp_rng *rng) {
    (void)agent, (void)rng;
}

static size_t act(xp__agent *agent, xp_rng *rng, const double *state) {
    (void)agent, (void)rng, (void)state;
    return 0;
}

static void observe(xp__agent *agent, xp_rng *rng, const xp_transition *transition) {
    (void)agent, (void)rng, (void)transition;
}

const xp__agent_type xp__agent_one_agent = {
    .name = "one_agent",
    .summary = "takes the first arm",
    .size = size,
    .init = init,
    .reset = reset,
    .act = act,
    .observe = observe,
};
"""

ENVIRONMENT = r"""
/* one_env.c: two arms, of which one always pays and the other never. */
#include "env/env_type.h"

typedef struct one_task {
    xp_task task;
    size_t good;
} one_task;

static xp_status init(xp_env *env, const xp__params *params, xp_rng *rng, xp_error *error) {
    (void)params, (void)rng, (void)error;
    env->info.actions = 2;
    env->info.horizon = 1;
    return XP_OK;
}

static void deinit(xp_env *env) {
    (void)env;
}

static size_t task_size(const xp_env *env) {
    (void)env;
    return sizeof(one_task);
}

static void task_draw(xp_task *task, xp_rng *rng) {
    ((one_task *)task)->good = xp_rng_bernoulli(rng, 0.75);
}

static void task_reset(xp_task *task, xp_rng *rng, double *state) {
    (void)task, (void)rng, (void)state;
}

static xp_step task_step(xp_task *task, xp_rng *rng, size_t action, double *state) {
    (void)rng, (void)state;
    const double reward = action == ((one_task *)task)->good ? 1 : 0;
    return (xp_step){.reward = reward, .regret = 1 - reward, .end = XP_TERMINATED};
}

static void task_optimal_q(const xp_task *task, const double *state, double *q) {
    (void)state;
    q[0] = ((const one_task *)task)->good == 0;
    q[1] = 1 - q[0];
}

static double task_policy_value(const xp_task *task, xp__policy policy, void *context) {
    return xp__policy_action(task, policy, context, NULL) == ((const one_task *)task)->good;
}

static double task_optimal_value(const xp_task *task) {
    (void)task;
    return 1;
}

const xp__env_type xp__env_one_env = {
    .name = "one_env",
    .summary = "two arms, of which one pays",
    .env_size = sizeof(xp_env),
    .init = init,
    .deinit = deinit,
    .task_size = task_size,
    .task_draw = task_draw,
    .task_reset = task_reset,
    .task_step = task_step,
    .task_optimal_q = task_optimal_q,
    .task_policy_value = task_policy_value,
    .task_optimal_value = task_optimal_value,
};
"""

SAMPLER = r"""
/* one_sampler.c: draws as if the prior were uniform. */
#include "sampler/sampler_type.h"

static size_t size(size_t arms, const xp__params *values) {
    (void)arms, (void)values;
    return sizeof(xp_sampler);
}

static bool supports(const xp_prior *prior) {
    (void)prior;
    return true;
}

static void init(xp_sampler *sampler, const xp__params *values) {
    (void)sampler, (void)values;
}

static void reset(xp_sampler *sampler, xp_rng *rng) {
    (void)sampler, (void)rng;
}

static void observe(xp_sampler *sampler, xp_rng *rng, size_t arm, bool success) {
    (void)sampler, (void)rng, (void)arm, (void)success;
}

static bool draw(xp_sampler *sampler, xp_rng *rng, double *theta) {
    for (size_t arm = 0; arm < sampler->arms; arm++) {
        theta[arm] = xp_rng_beta(rng, 1 + sampler->successes[arm], 1 + sampler->failures[arm]);
    }
    return true;
}

const xp__sampler_type xp__sampler_one_sampler = {
    .name = "one_sampler",
    .summary = "draws as if the prior were uniform",
    .size = size,
    .supports = supports,
    .init = init,
    .reset = reset,
    .observe = observe,
    .draw = draw,
};
"""

STUDY = r"""
/* one_study.c: the new agent in the new environment. */
#include "study/study_type.h"
#include "study/summary.h"

static const xp__agent_entry agent = {.label = "One agent", .spec = "one_agent"};

static xp_status plan(xp__grid *grid, xp_error *error) {
    grid->shape = (xp__shape){.tasks = 4, .episodes = 10, .demonstrations = 10};
    size_t set;
    const xp_status status = xp__grid_list(grid, "one_env", NULL, 0, 2, &set, error);
    if (status == XP_OK) {
        (void)xp__grid_block(grid, set, &xp__expert_optimal_entry, &agent);
    }
    return status;
}

static void report(const xp__grid *grid, xp__builder *builder) {
    const xp__mean mean = xp__block_mean(grid, 0, XP__NO_BLOCK, XP__FINAL_REGRET, XP__ALL);
    const xp_study_row row = xp__study_row(agent.label, agent.spec, "all", "final regret", &mean);
    xp__builder_row(builder, &row);
}

const xp__study_type xp__study_one_study = {
    .name = "one_study",
    .summary = "the new agent in the new environment",
    .title = "One more study",
    .plan = plan,
    .report = report,
};
"""

SUBCOMMAND = r"""
/* one.c: experior one-command. */
#include "options.h"

#include <stdio.h>

static int run(const cli_arguments *arguments) {
    (void)arguments;
    (void)puts("it runs");
    return CLI_DONE;
}

const cli_command cli_command_one_command = {
    .name = "one-command",
    .summary = "one more subcommand",
    .description = "Says that it runs.",
    .examples = {{"experior one-command", "says so"}},
    .run = run,
};
"""

ADDED = {
    "src/agent/bandit/one_agent.c": AGENT,
    "src/env/one_env.c": ENVIRONMENT,
    "src/sampler/one_sampler.c": SAMPLER,
    "src/paper/one_study.c": STUDY,
    "cli/commands/one_command.c": SUBCOMMAND,
}


LISTS = [f"{kind}_registry.c" for kind in ["agent", "env", "sampler", "study", "command"]]


class House:
    """A copy of the sources with the files added, and the program, built once for all claims."""

    place = None

    @classmethod
    def build(cls):
        if cls.place is not None:
            return
        cls.place = tempfile.TemporaryDirectory(prefix="experior-one-file-")
        root = pathlib.Path(cls.place.name)
        for name in ["CMakeLists.txt", "cmake", "include", "src", "cli", "data", "LICENSE"]:
            if (SOURCE / name).is_dir():
                shutil.copytree(SOURCE / name, root / name)
            else:
                shutil.copy(SOURCE / name, root / name)
        for name, text in ADDED.items():
            (root / name).write_text(text.lstrip(), encoding="utf-8")
        cls.call("cmake", "-S", root, "-B", root / "build", *CONFIGURE)
        # Objects are those of the library or of the program; the build must know each.
        known = cls.call("ninja", "-C", root / "build", "-t", "targets", "all")
        made = [line.split(":")[0] for line in known.splitlines()
                if line.split(":")[0].endswith(tuple(f"/{name}.o" for name in [*ADDED, *LISTS]))]
        assert len(made) == len(ADDED) + len(LISTS), made
        cls.call("ninja", "-C", root / "build", *made)
        program = BUILD / "CMakeFiles" / "experior.dir"
        kept = [path for path in program.rglob("*.o") if path.name != "command_registry.c.o"]
        libraries = cls.call("pkg-config", "--libs", "jansson", "sqlite3", "zlib").split()
        cls.call(CC, "-o", root / "build" / "experior", *(root / "build" / name for name in made), *kept,
                 BUILD / "libexperior.a", *libraries, "-ldl", "-lm", "-pthread")

    @classmethod
    def call(cls, *words):
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, cwd=cls.place.name)
        assert done.returncode == 0, f"{words}\n{done.stdout[-4000:]}\n{done.stderr}"
        return done.stdout

    @classmethod
    def run(cls, *words):
        cls.build()
        return cls.call(pathlib.Path(cls.place.name) / "build" / "experior", *words)


def claim_the_program_lists_what_was_added():
    listed = House.run("list")
    for name in ["one_agent", "one_env", "one_sampler", "one_study"]:
        assert f"\n  {name}\n" in listed, listed


def claim_an_agent_and_an_environment_of_one_file_each_run():
    said = House.run("simulate", "--env", "one_env", "--agent", "one_agent", "--agent", "behaviour_cloning", "--priors", 1,
                     "--tasks", 4, "--episodes", 10, "--demonstrations", 20)
    assert "one_agent" in said and "behaviour_cloning" in said, said


def claim_a_sampler_of_one_file_runs():
    said = House.run("simulate", "--agent", "naive_ts:sampler=one_sampler", "--priors", 1, "--tasks", 2, "--episodes", 10)
    assert "naive_ts:sampler=one_sampler" in said, said


def claim_a_study_of_one_file_runs_and_has_a_report():
    said = House.run("study", "one_study", "--scale", "smoke", "-o", "out")
    assert said.startswith("One more study\n") and "One agent" in said, said
    page = (pathlib.Path(House.place.name) / "out" / "index.html").read_text(encoding="utf-8")
    assert '<section id="one_study">' in page


def claim_a_subcommand_of_one_file_runs_and_is_in_the_help():
    assert House.run("one-command") == "it runs\n"
    assert "\n  one-command" in House.run("help")
    assert "one-command" in House.run("manual")


if os.environ.get("XP_INSTRUMENTED") == "1":
    print("instrumented: another build tells nothing more; left out\n0 passed, 0 failed")
else:
    claim.run(sys.modules[__name__])
