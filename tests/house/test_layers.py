"""The layer check: it passes this tree, and finds each kind of offence where it is."""

import sys
import tempfile

import claim
from checked_tree import check, check_files

SCRIPT = "check_layers.py"


def expect_offence(files, *parts):
    status, output = check_files(SCRIPT, files)
    assert status == 1, f"status {status}, output {output!r}"
    assert output.count("\n") == 1, f"one offence was wanted: {output!r}"
    for part in parts:
        assert part in output, f"{part!r} is not in {output!r}"


def expect_clean(files):
    status, output = check_files(SCRIPT, files)
    assert status == 0 and output == "", f"status {status}, output {output!r}"


def claim_this_tree_obeys():
    status, output = check(SCRIPT)
    assert status == 0, "\n" + output


def claim_includes_to_the_left_and_of_the_own_stage_are_fine():
    expect_clean({
        "include/experior/base.h": "#include <stddef.h>\n",
        "include/experior/rng.h": '#include "experior/base.h"\n',
        "include/experior/prior.h": '#include "experior/rng.h"\n#include <stdint.h>\n',
        "include/experior/experior.h": '#include "experior/base.h"\n#include "experior/prior.h"\n',
        "src/prior/bandit/prior.c": '#include "prior/bandit/prior_type.h"\n#include "base/memory.h"\n#include "encode/row_set.h"\n'
                             '#include "experior/prior.h"\n#include <jansson.h>\n',
    })


def claim_an_include_to_the_right_is_found_with_its_line():
    expect_offence({"src/prior/bandit/prior.c": '#include "base/memory.h"\n\n#include "agent/agent_type.h"\n'},
                   "src/prior/bandit/prior.c:3:", "agent is to its right")


def claim_a_public_header_of_a_stage_to_the_right_is_found():
    expect_offence({"src/env/env.c": '#include "experior/prior.h"\n'}, "src/env/env.c:1:", "prior is to its right")
    expect_offence({"include/experior/env.h": '#include "experior/agent.h"\n'}, "include/experior/env.h:1:")


def claim_pictures_are_made_from_plain_data():
    expect_clean({"src/picture/a.c": '#include "run/record.h"\n#include "experior/simulate.h"\n',
                  "src/study/a.c": '#include "picture/chart.h"\n'})
    for header in ["study/result.h", "experior/study.h", "paper/agents.h", "report/report_parts.h"]:
        expect_offence({"src/picture/a.c": f'#include "{header}"\n'}, "src/picture/a.c:1:", "is to its right")


def claim_the_study_core_does_not_know_the_paper():
    expect_offence({"src/study/grid.c": '#include "paper/agents.h"\n'}, "src/study/grid.c:1:", "paper is to its right")


def claim_public_headers_named_otherwise_have_the_place_of_their_stage():
    for header, stage in [("rng", "base"), ("history", "demos"), ("catalogue", "study"),
                          ("calibrate", "sampler"), ("session", "model"), ("inspect", "model"),
                          ("sensitivity", "model"), ("simulate", "run")]:
        expect_clean({f"src/{stage}/a.c": f'#include "experior/{header}.h"\n'})
    expect_offence({"src/agent/a.c": '#include "experior/session.h"\n'}, "src/agent/a.c:1:", "model is to its right")
    expect_offence({"src/model/a.c": '#include "experior/simulate.h"\n'}, "src/model/a.c:1:", "run is to its right")


def claim_the_header_of_everything_is_not_for_stages():
    expect_offence({"src/agent/agent.c": '#include "experior/experior.h"\n'}, "src/agent/agent.c:1:")


def claim_base_stands_on_nothing():
    expect_offence({"src/base/file.c": '#include "math/special.h"\n'}, "src/base/file.c:1:")


def claim_the_hidden_context_is_for_environments_experts_regret_and_recording():
    for name in ["env/a.c", "expert/a.c", "run/evaluate.c", "run/record.c"]:
        expect_clean({f"src/{name}": '#include "env/context.h"\n'})
    for name in ["demos/a.c", "encode/a.c", "prior/bandit/a.c", "sampler/a.c", "agent/states/a.c", "model/a.c",
                 "run/simulate.c", "run/unit.c", "run/record.h", "picture/a.c", "study/a.c", "paper/a.c", "report/a.c",
                 "serve/a.c"]:
        expect_offence({f"src/{name}": '#include "env/context.h"\n'}, f"src/{name}:1:", "hidden context")


def claim_what_an_environment_is_made_of_is_for_environments_only():
    expect_clean({"src/env/a.c": '#include "env/env_type.h"\n'})
    for name in ["expert/a.c", "agent/agent_spec.c", "run/evaluate.c", "run/record.c", "run/simulate.c"]:
        expect_offence({f"src/{name}": '#include "env/env_type.h"\n'}, f"src/{name}:1:", "hidden context")


def claim_a_header_that_includes_a_secret_is_as_secret():
    lake = {"src/env/lake.h": '#include "env/map.h"\n', "src/env/map.h": '#include "env/env_type.h"\n'}
    expect_clean(lake | {"src/env/lake.c": '#include "env/lake.h"\n'})
    expect_offence(lake | {"src/agent/a.c": '#include "base/memory.h"\n#include "env/lake.h"\n'}, "src/agent/a.c:2:",
                   'which includes "env/env_type.h"', "hidden context")


def claim_the_context_cannot_be_reached_by_a_relative_path():
    expect_offence({"src/agent/a.c": '#include "../env/context.h"\n'}, "src/agent/a.c:1:", "written from src/")
    expect_offence({"src/env/env.c": '#include "context.h"\n'}, "src/env/env.c:1:", "written from src/")


def claim_public_headers_need_nothing_that_is_not_installed():
    expect_offence({"include/experior/env.h": '#include "env/context.h"\n'}, "include/experior/env.h:1:")
    expect_offence({"include/experior/prior.h": "#include <jansson.h>\n"}, "include/experior/prior.h:1:", "jansson")


def claim_the_command_line_tool_stands_on_public_headers():
    expect_clean({"cli/cli.h": '#include "experior/experior.h"\n', "cli/main.c": '#include "cli.h"\n#include <stdio.h>\n',
                  "cli/commands/fit.c": '#include "cli/cli.h"\n'})
    expect_offence({"cli/main.c": '#include "experior/env.h"\n#include "base/memory.h"\n'}, "cli/main.c:2:")
    expect_offence({"cli/main.c": '#include "../src/base/memory.h"\n'}, "cli/main.c:1:")
    expect_clean({"python/native/native.h": '#include "experior/experior.h"\n', "python/native/x.c": '#include "native.h"\n'})
    expect_offence({"python/native/x.c": '#include "base/memory.h"\n'}, "python/native/x.c:1:")


def claim_the_program_that_reads_hdf5_shares_the_stream_with_the_library_and_nothing_else():
    expect_clean({"hdf5/send.h": "#include <stdint.h>\n",
                  "hdf5/send.c": '#include "send.h"\n#include "demos/hdf5_stream.h"\n'})
    expect_offence({"hdf5/send.c": '#include "demos/demos_type.h"\n'}, "hdf5/send.c:1:", "demos/hdf5_stream.h")


def claim_an_unknown_stage_is_found():
    expect_offence({"src/extra/a.c": ""}, "src/extra/a.c:1:")
    expect_offence({"include/experior/extra.h": ""}, "include/experior/extra.h:1:")
    expect_offence({"src/env/a.c": '#include "extra/a.h"\n'}, "src/env/a.c:1:")


def claim_comments_are_not_includes_and_do_not_move_lines():
    expect_offence({"src/env/a.c": '/* first\n#include "agent/agent_type.h"\n*/\n  #  include "prior/prior_type.h"\n'},
                   "src/env/a.c:4:", "prior is to its right")


def claim_a_computed_include_is_found():
    expect_offence({"src/env/a.c": "#include HEADER\n"}, "src/env/a.c:1:", "computed")


def claim_a_place_without_sources_is_an_error():
    with tempfile.TemporaryDirectory() as directory:
        assert check(SCRIPT, directory)[0] == 2


claim.run(sys.modules[__name__])
