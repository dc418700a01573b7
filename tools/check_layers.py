#!/usr/bin/env python3
"""Checks who includes whom.

Data flows one way, and so do the includes: a stage sees itself and what is to its left in STAGES. The public
header of a stage is as far right as the stage. The hidden context, and all that is computed from it, is behind
two headers: that it is unobserved is a fact of the include graph. Only environments include env/env_type.h; only
environments, experts, the accounting of regret and the recording of episodes include env/context.h. A header that
includes one of the two is as secret as that one. The command line tool and the Python module stand on the public
headers alone, and those on nothing but each other and the C library. The program that reads HDF5 shares one header with the library:
the form of what it sends.

    check_layers.py [ROOT]      prints file:line of each offence; exit status 1 if there is one
"""

import pathlib
import re
import sys

STAGES = ["base", "math", "net", "table", "reward", "env", "expert", "demos", "encode", "prior", "sampler", "agent",
          "model", "run", "picture", "study", "paper", "elsewhere", "beyond", "report", "serve"]
RANK = {stage: rank for rank, stage in enumerate(STAGES)}
PUBLIC_STAGE = {  # of the public headers that are not named after their stage
    "rng": "base", "choices": "demos", "history": "demos", "calibrate": "sampler",
    "segments": "model", "session": "model", "decisions": "model", "inspect": "model",
    "sensitivity": "model", "peers": "run", "simulate": "run",
    "catalogue": "study", "sweep": "study", "aggregate": "study",
}
SECRETS = {  # header: the folders (with a slash at the end) and files of src/ that may include it
    "env/env_type.h": ("env/",),
    "env/context.h": ("env/", "expert/", "run/evaluate.c", "run/record.c"),
}
HDF5_STREAM = "demos/hdf5_stream.h"
C_LIBRARY = {
    "assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "limits", "locale", "math", "setjmp",
    "signal", "stdarg", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "time", "wchar", "wctype",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?P<own>[^"]+)"|<(?P<system>[^>]+)>|(?P<other>\S.*))')


def includes(path):
    """Yields (line number, quoted name or None, bracketed name or None); names are None for a computed include."""
    text = path.read_text(encoding="utf-8")
    # A commented-out include is not one; newlines are kept so that line numbers stay right.
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), text, flags=re.S)
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match["own"], match["system"]


def public_stage(name):
    """Stage of a header experior/<name>.h; None for the one that includes them all."""
    stem = pathlib.PurePosixPath(name).stem
    return PUBLIC_STAGE.get(stem, stem)


class Checker:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.offences = []
        self.secrets = {}

    def find_secrets(self):
        """For each header that reaches a secret one: the secret, and who may include it."""
        self.secrets = {name: {name: readers} for name, readers in SECRETS.items()}
        headers = {path.relative_to(self.root / "src").as_posix(): [own for _, own, _ in includes(path) if own]
                   for path in self.sources("src") if path.suffix == ".h"}
        found = True
        while found:
            found = False
            for header, names in headers.items():
                reached = self.secrets.setdefault(header, {})
                for name in names:
                    for secret, readers in self.secrets.get(name, {}).items():
                        found |= secret not in reached
                        reached[secret] = readers

    def check_secret(self, path, line, own):
        file = path.relative_to(self.root / "src").as_posix()
        for secret, readers in self.secrets.get(own, {}).items():
            if not any(file.startswith(reader) if reader.endswith("/") else file == reader for reader in readers):
                behind = "" if own == secret else f', which includes "{secret}"'
                self.offend(path, line, f'{file} includes "{own}"{behind}: it must not see the hidden context')
                return

    def offend(self, path, line, sentence):
        self.offences.append(f"{path.relative_to(self.root).as_posix()}:{line}: {sentence}")

    def sources(self, place):
        top = self.root / place
        return sorted(path for path in top.rglob("*") if path.suffix in {".c", ".h"}) if top.is_dir() else []

    def check_order(self, path, line, stage, name, other):
        if other not in RANK:
            self.offend(path, line, f'"{name}" belongs to no stage that check_layers.py knows')
        elif RANK[other] > RANK[stage]:
            self.offend(path, line, f'{stage} includes "{name}", but {other} is to its right')

    def check_public_header(self, path):
        stage = public_stage(path.name)
        if stage != "experior" and stage not in RANK:
            self.offend(path, 1, f"{path.name} is named after no stage that check_layers.py knows")
            return
        for line, own, system in includes(path):
            if own is not None and not own.startswith("experior/"):
                self.offend(path, line, f'a public header includes "{own}", which is not installed')
            elif own is not None and stage != "experior":
                self.check_order(path, line, stage, own, public_stage(own))
            elif system is not None and pathlib.PurePosixPath(system).stem not in C_LIBRARY:
                self.offend(path, line, f"a public header includes <{system}>, which users may not have")
            elif own is None and system is None:
                self.offend(path, line, "an include whose name is computed cannot be checked")

    def check_source(self, path):
        stage = path.relative_to(self.root / "src").parts[0]
        if stage not in RANK:
            self.offend(path, 1, f"src/{stage} is no stage that check_layers.py knows")
            return
        for line, own, system in includes(path):
            if own is None:
                if system is None:
                    self.offend(path, line, "an include whose name is computed cannot be checked")
                continue
            parts = pathlib.PurePosixPath(own).parts
            if ".." in parts or len(parts) < 2:
                self.offend(path, line, f'"{own}" should be written from src/ or include/, as "stage/file.h"')
                continue
            other = public_stage(own) if parts[0] == "experior" else parts[0]
            if parts[0] == "experior" and other == "experior":
                self.offend(path, line, f'{stage} includes "{own}", which holds the stages to its right')
                continue
            self.check_order(path, line, stage, own, other)
            self.check_secret(path, line, own)

    def check_program(self, path, place, what, is_shared, wanted):
        for line, own, system in includes(path):
            if own is None and system is None:
                self.offend(path, line, "an include whose name is computed cannot be checked")
            elif own is not None and not is_shared(own):
                name = own.removeprefix(f"{place}/")
                if ".." in name or not (self.root / place / name).is_file():
                    self.offend(path, line, f'{what} includes "{own}", which is not {wanted}')

    def run(self):
        for path in self.sources("include/experior"):
            self.check_public_header(path)
        self.find_secrets()
        for path in self.sources("src"):
            self.check_source(path)
        for path in self.sources("cli"):
            self.check_program(path, "cli", "the command line tool", lambda name: name.startswith("experior/"),
                               "a public header")
        for path in self.sources("python/native"):
            self.check_program(path, "python/native", "the Python module", lambda name: name.startswith("experior/"),
                               "a public header")
        for path in self.sources("hdf5"):
            self.check_program(path, "hdf5", "the program that reads HDF5", lambda name: name == HDF5_STREAM,
                               f'"{HDF5_STREAM}"')
        return self.offences


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    if not (root / "src").is_dir():
        print(f"check_layers.py: there is no {root}/src", file=sys.stderr)
        return 2
    offences = Checker(root).run()
    for offence in offences:
        print(offence)
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
