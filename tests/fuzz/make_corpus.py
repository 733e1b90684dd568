"""Makes the initial corpus of a fuzz target.

    make_corpus.py CORPUS_FOLDER SOURCE...

The build runs it (targets corpus_gsmp, corpus_oam, ...). Each SOURCE is a file, or a folder whose
files are all taken, except *.txt: those hold the texts of golden messages. NAME.hex holds one input
as hex digits; '#' starts a comment. It becomes NAME.message, without the TCP frame header of GSMP
(RFC 3293). If it has such a header, NAME.stream holds it with the header. Any other file is copied
as it is. Names must be unique: the subfolders of a SOURCE are not kept. Old files in CORPUS_FOLDER
stay.
"""

import re
import sys
from pathlib import Path

FRAME_TYPE = bytes.fromhex("880c")
FRAME_HEADER_OCTETS = 4  # the type and a length of 2 octets each


def files_of(source):
    if source.is_file():
        return [source]
    return sorted(path for path in source.rglob("*") if path.is_file() and path.suffix != ".txt")


# Yields the name and the octets of each input that `source` gives.
def inputs_of(source):
    if source.suffix != ".hex":
        yield source.name, source.read_bytes()
        return
    octets = bytes.fromhex(re.sub(r"#.*", "", source.read_text()))
    if octets.startswith(FRAME_TYPE):
        yield f"{source.stem}.stream", octets
        octets = octets[FRAME_HEADER_OCTETS:]
    yield f"{source.stem}.message", octets


# Returns what sys.exit() takes: 0, or the error text.
def main(corpus, sources):
    corpus.mkdir(parents=True, exist_ok=True)
    made = set()
    for path in (path for source in sources for path in files_of(source)):
        for name, octets in inputs_of(path):
            if name in made:
                return f"{path}: there is another input {name}"
            made.add(name)
            (corpus / name).write_bytes(octets)
    return 0 if made else f"{' '.join(map(str, sources))}: no input"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(word) for word in sys.argv[2:]]))
