"""Converts worked messages, of tests/golden/gsmp and tests/fuzz/oam, to binary files: the initial
corpora of fuzz_gsmp and fuzz_oam.

    make_corpus.py GOLDEN_FOLDER CORPUS_FOLDER

The build runs it (targets corpus_gsmp, corpus_oam). Each NAME.hex below GOLDEN_FOLDER holds one
message as hex digits; '#' starts a comment. The message becomes NAME.message in CORPUS_FOLDER,
without its TCP frame header (RFC 3293). If it has such a header, NAME.stream holds it with the
header. NAME must be unique: the subfolders of GOLDEN_FOLDER are not kept. Old files in
CORPUS_FOLDER stay.
"""

import re
import sys
from pathlib import Path

FRAME_TYPE = bytes.fromhex("880c")
FRAME_HEADER_OCTETS = 4  # the type and a length of 2 octets each


# Returns what sys.exit() takes: 0, or the error text.
def main(golden, corpus):
    corpus.mkdir(parents=True, exist_ok=True)
    sources = sorted(golden.rglob("*.hex"))
    for source in sources:
        octets = bytes.fromhex(re.sub(r"#.*", "", source.read_text()))
        if octets.startswith(FRAME_TYPE):
            (corpus / f"{source.stem}.stream").write_bytes(octets)
            octets = octets[FRAME_HEADER_OCTETS:]
        (corpus / f"{source.stem}.message").write_bytes(octets)
    return 0 if sources else f"{golden}: no *.hex"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
