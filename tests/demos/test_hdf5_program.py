"""The program that reads HDF5: where it is looked for, what it is given, what it gives up, and what is said when it
fails. Stand-ins for it are compiled here; what they do is told by the first word of the file they are to read."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import claim
from cli_tool import BUILD, INSTRUMENTED, SOURCE, TOOL

PLACE = tempfile.TemporaryDirectory(prefix="experior-hdf5-")
HERE = pathlib.Path(PLACE.name)
PROGRAM = BUILD / "libexec" / "experior" / "experior-hdf5"
CONFIGURED = re.findall(r'"(/.*)"', (BUILD / "generated" / "hdf5_places.c").read_text(encoding="utf-8"))
HAS_HDF5 = (BUILD / "tests" / "write_minari").exists()
BUDGET = str(1 << 30)

STAND_IN = r"""
#include "demos/hdf5_stream.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
extern char **environ;
static void send_frame(uint32_t kind, uint64_t steps) {
    const xp__hdf5_frame frame = {XP__HDF5_MAGIC, kind, 0, steps, 1};
    if (write(1, &frame, sizeof frame) < 0) _exit(9);
}
static void report(void) {
    char text[200];
    int descriptors = 0, variables = 0;
    struct stat error, null;
    sigset_t blocked;
    struct sigaction pipe;
    for (int i = 3; i < 1024; i++) descriptors += fcntl(i, F_GETFD) >= 0;
    while (environ[variables] != NULL) variables++;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    sigaction(SIGPIPE, NULL, &pipe);
    fstat(2, &error);
    stat("/dev/null", &null);
    snprintf(text, sizeof text, "variables %d, descriptors %d, blocked %d, pipe %s, error %s", variables, descriptors,
             sigismember(&blocked, SIGTERM), pipe.sa_handler == SIG_DFL ? "default" : "changed",
             error.st_rdev == null.st_rdev ? "dropped" : "kept");
    send_frame(XP__HDF5_REFUSED, strlen(text));
    if (write(1, text, strlen(text)) < 0) _exit(9);
}
int main(void) {
    char word[32] = "";
    if (read(0, word, sizeof word - 1) < 0) return 9;
    fprintf(stderr, "a stray line\n");
    if (strcmp(word, "crash") == 0) raise(SIGSEGV);
    if (strcmp(word, "time") == 0) raise(SIGXCPU);
    if (strcmp(word, "garbage") == 0) puts("Traceback (most recent call last)");
    if (strcmp(word, "short") == 0) send_frame(XP__HDF5_EPISODE, 5);
    if (strcmp(word, "huge") == 0) send_frame(XP__HDF5_EPISODE, UINT64_C(1) << 60);
    if (strcmp(word, "report") == 0) report();
    return strcmp(word, "exit") == 0 ? 3 : 0;
}
"""


def prefix(name, program=None):
    """An installation of the tool and, if given, of a program that reads HDF5; the tool's path."""
    place = HERE / name
    (place / "bin").mkdir(parents=True)
    shutil.copy(TOOL, place / "bin" / "experior")
    if program is not None:
        (place / "libexec" / "experior").mkdir(parents=True)
        shutil.copy(program, place / "libexec" / "experior" / "experior-hdf5")
    return place / "bin" / "experior"


def stand_in():
    program = HERE / "stand_in"
    if not program.exists():
        (HERE / "stand_in.c").write_text(STAND_IN, encoding="utf-8")
        subprocess.run([os.environ.get("XP_CC", "cc"), "-I", SOURCE / "src", HERE / "stand_in.c", "-o", program],
                       check=True)
    return program


def fit(tool, path, **more):
    """Standard error of a fit that must be refused in one sentence."""
    done = subprocess.run([tool, "fit", path, "-o", "never.json"], capture_output=True, text=True, timeout=500,
                          check=False, cwd=more.pop("cwd", HERE), **more)
    assert done.returncode == 2 and done.stdout == "", f"{done.returncode} {done.stdout!r} {done.stderr!r}"
    assert re.fullmatch("experior fit: [ -~]+\n", done.stderr), done.stderr
    return done.stderr


def word(text):
    path = HERE / f"{text}.h5"
    path.write_text(text, encoding="ascii")
    return path


def claim_however_the_program_fails_it_is_one_sentence_that_names_the_file():
    tool = prefix("failing", stand_in())
    for what, says in (("crash", "experior-hdf5 was ended by signal 11"), ("time", "experior-hdf5 took too much time"),
                       ("exit", "exit status 3"), ("garbage", "no whole answer"), ("short", "no whole answer"),
                       ("huge", "no whole answer"), ("nothing", "no whole answer")):
        said = fit(tool, word(what))
        assert f"{what}.h5: cannot be read" in said and says in said, said


def claim_the_program_gets_the_file_and_a_pipe_and_nothing_else():
    tool = prefix("reporting", stand_in())
    for closed in ("", "<&-", "<&- >&-", ">&-"):
        with tempfile.TemporaryFile() as other:  # as a program that uses the library may have one open
            done = subprocess.run(["sh", "-c", f'exec "$0" fit "$1" -o never.json {closed}', tool, word("report")],
                                  capture_output=True, text=True, check=False, cwd=HERE, pass_fds=[other.fileno()])
        # The stand-in does not close what it inherits; the program does (see below).
        assert "variables 0, descriptors 1, blocked 0, pipe default, error dropped" in done.stderr, done.stderr


def claim_the_program_gives_up_what_it_does_not_need():
    if not HAS_HDF5:
        return
    subprocess.run([BUILD / "tests" / "write_minari", HERE / "limits.hdf5"], check=True)
    output, pipe = os.pipe()
    os.set_blocking(pipe, False)
    try:  # a full pipe: the program waits before its first frame
        while True:
            os.write(pipe, bytes(4096))
    except BlockingIOError:
        os.set_blocking(pipe, True)
    memory = (2 << 30) + (512 << 20)
    wanted = {"cpu time": (10, 11), "core file size": (0, 0), "file size": (0, 0), "open files": (16, 16)}
    if not INSTRUMENTED:
        wanted["address space"] = (memory, memory)
    with open(HERE / "limits.hdf5", "rb") as file, tempfile.TemporaryFile() as other:
        child = subprocess.Popen([PROGRAM, BUDGET], stdin=file, stdout=pipe, pass_fds=[other.fileno()])
        os.close(pipe)
        process, missing = pathlib.Path("/proc") / str(child.pid), wanted
        deadline = time.monotonic() + 500
        while missing and time.monotonic() < deadline:
            time.sleep(0.01)
            limits = (process / "limits").read_text(encoding="ascii")
            missing = [name for name, (soft, hard) in wanted.items()
                       if not re.search(rf"Max {name} +{soft} +{hard} ", limits)]
        opened = {entry.name for entry in (process / "fd").iterdir()}
        os.close(output)  # nobody listens any more
        assert child.wait(timeout=500) == 1
    assert not missing, f"{missing} in {limits}"
    assert opened <= {"0", "1", "2", "3"}, opened  # 3: the file, opened again


def claim_without_the_program_the_way_out_is_said_and_no_other_place_is_searched():
    if any(pathlib.Path(path).exists() for path in CONFIGURED):
        print("experior-hdf5 is installed on this machine: not told")
        return
    tool = prefix("without")
    folder = HERE / "decoys"
    (folder / "libexec" / "experior").mkdir(parents=True)
    for place in (folder / "experior-hdf5", folder / "libexec" / "experior" / "experior-hdf5"):
        shutil.copy(stand_in(), place)
    said = fit(tool, word("report"), cwd=folder, env={"PATH": f"{folder}:/usr/bin:/bin"})
    assert "HDF5 files are read by the program experior-hdf5, which is not installed with this experior" in said, said
    assert "install libhdf5-dev and build it again with -DXP_HDF5=ON" in said, said


def claim_a_program_that_a_stranger_put_near_the_library_is_not_run():
    if any(pathlib.Path(path).exists() for path in CONFIGURED):
        print("experior-hdf5 is installed on this machine: not told")
        return
    tool = prefix("strange", stand_in())
    near = HERE / "strange" / "libexec" / "experior" / "experior-hdf5"
    assert "variables 0" in fit(tool, word("report"))
    near.chmod(0o777)
    assert "is not installed" in fit(tool, word("report"))
    near.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(near, 65534, 65534)
        assert "is not installed" in fit(tool, word("report"))


def claim_sixty_damaged_files_are_refused_in_a_sentence():
    if not HAS_HDF5:
        return
    done = subprocess.run([sys.executable, "-B", SOURCE / "fuzz" / "mutate_hdf5.py", "--build", BUILD, "--count", "60"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("60 damaged files:"), done.stdout + done.stderr


if __name__ == "__main__":
    claim.run(sys.modules[__name__])
