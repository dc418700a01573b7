"""The documentation check: it passes this tree, and finds each kind of offence where it is."""

import sys

import claim
from checked_tree import check, check_files

SCRIPT = "check_docs.py"


def check_page(text):
    """Output for a tree with one page, one other page with the heading "A part, and more", and src/net/net.c."""
    return check_files(SCRIPT, {"docs/page.md": text, "docs/other.md": "# Other\n\n## A part, and more\n",
                                "src/net/net.c": ""})


def expect_offence(text, line, word):
    status, output = check_page(text)
    assert status == 1 and output.count("\n") == 1, f"status {status}, output {output!r}"
    assert output.startswith(f"docs/page.md:{line}: ") and word in output, output


def claim_all_links_and_paths_of_this_tree_exist():
    status, output = check(SCRIPT)
    assert status == 0, output


def claim_what_exists_is_accepted():
    status, output = check_page(
        "# Page\n[o](other.md) [p](other.md#a-part-and-more) [self](#page) [web](https://example.org/x.md)\n"
        "`src/net/net.c`, `net.c`, `src/net/`, `src/env/<name>.c`\n\n    [code](nowhere.md)\n```\n`src/gone.c`\n```\n"
    )
    assert status == 0 and output == "", output


def claim_a_link_to_a_page_that_does_not_exist_is_found():
    expect_offence("# Page\n\n[x](gone.md)\n", 3, "gone.md")


def claim_a_link_to_a_heading_that_does_not_exist_is_found():
    expect_offence("[x](other.md#a-part)\n", 1, "no such heading")


def claim_a_path_that_does_not_exist_is_found():
    expect_offence("Look at `src/net/gone.c`.\n", 1, "src/net/gone.c")


def claim_the_name_of_a_file_that_does_not_exist_is_found():
    expect_offence("One\n\nLook at `gone.h`.\n", 3, "gone.h")


claim.run(sys.modules[__name__])
