"""The layer check: it passes this tree, and finds each kind of offence where it is."""

import pathlib
import subprocess
import sys
import tempfile

import claim

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHECK = ROOT / "tools" / "check_layers.py"


def check(root):
    done = subprocess.run([sys.executable, "-B", CHECK, root], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def check_files(files):
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        (root / "src").mkdir()
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check(root)


def expect_offence(files, *parts):
    status, output = check_files(files)
    assert status == 1, f"status {status}, output {output!r}"
    assert output.count("\n") == 1, f"one offence was wanted: {output!r}"
    for part in parts:
        assert part in output, f"{part!r} is not in {output!r}"


def expect_clean(files):
    status, output = check_files(files)
    assert status == 0 and output == "", f"status {status}, output {output!r}"


def claim_this_tree_obeys():
    status, output = check(ROOT)
    assert status == 0, "\n" + output


def claim_includes_to_the_left_and_of_the_own_stage_are_fine():
    expect_clean({
        "include/experior/base.h": "#include <stddef.h>\n",
        "include/experior/rng.h": '#include "experior/base.h"\n',
        "include/experior/prior.h": '#include "experior/rng.h"\n#include <stdint.h>\n',
        "include/experior/experior.h": '#include "experior/base.h"\n#include "experior/prior.h"\n',
        "src/prior/bandit/prior.c": '#include "prior/bandit/prior_type.h"\n#include "base/memory.h"\n#include "env/env_type.h"\n'
                             '#include "experior/prior.h"\n#include <jansson.h>\n',
    })


def claim_an_include_to_the_right_is_found_with_its_line():
    expect_offence({"src/prior/bandit/prior.c": '#include "base/memory.h"\n\n#include "agent/agent_type.h"\n'},
                   "src/prior/bandit/prior.c:3:", "agent is to its right")


def claim_a_public_header_of_a_stage_to_the_right_is_found():
    expect_offence({"src/env/env.c": '#include "experior/prior.h"\n'}, "src/env/env.c:1:", "prior is to its right")
    expect_offence({"include/experior/env.h": '#include "experior/agent.h"\n'}, "include/experior/env.h:1:")


def claim_the_header_of_everything_is_not_for_stages():
    expect_offence({"src/agent/agent.c": '#include "experior/experior.h"\n'}, "src/agent/agent.c:1:")


def claim_base_stands_on_nothing():
    expect_offence({"src/base/file.c": '#include "math/special.h"\n'}, "src/base/file.c:1:")


def claim_the_hidden_context_is_for_environments_experts_and_studies():
    for stage in ["env", "expert", "study"]:
        expect_clean({f"src/{stage}/a.c": '#include "env/context.h"\n'})
    for stage in ["demos", "prior", "sampler", "agent", "report", "serve"]:
        expect_offence({f"src/{stage}/a.c": '#include "env/context.h"\n'}, f"src/{stage}/a.c:1:", "hidden context")


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
        assert check(directory)[0] == 2


claim.run(sys.modules[__name__])
