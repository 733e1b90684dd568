"""Writes the worked messages of tests/golden/gsmp as files of octets: a fuzzer's initial corpus.

    make_corpus.py GOLDEN_FOLDER CORPUS_FOLDER

A message with a TCP frame header is written twice: with the header, as a stream, and without it.
"""

import re
import sys
from pathlib import Path

FRAME_TYPE = bytes.fromhex("880c")
FRAME_HEADER_OCTETS = 4


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
