"""Downloads foreign ORBs, and builds a client of idl/ with each.

Every file is downloaded once, by https, and compared with its SHA-256. The stubs are generated from
the repository's idl/. A missing program or an unreachable registry raises unittest.SkipTest with
"NOT TESTED: ..." and the reason.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import unittest
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
IDL = HERE.parents[1] / "idl"
CONTRACTS = ["types", "operations", "switch_server", "connection_manager", "route_object",
             "qos_mapper", "keeper"]

CENTRAL = "https://repo1.maven.org/maven2/"
PYPI = "https://files.pythonhosted.org/packages/"
# Address: SHA-256 of the file.
JACORB = {
    CENTRAL + "org/jacorb/jacorb/3.9/jacorb-3.9.jar":
        "cb833df39c6e30caca29f2c244901c2d5566c8c6aac3ea59842024c5f5264ee2",
    CENTRAL + "org/jacorb/jacorb-omgapi/3.9/jacorb-omgapi-3.9.jar":
        "247f565dfd4b0c1ee54b1e0a6288be84fc66ae961c34715171ca2867c6857447",
    CENTRAL + "org/slf4j/slf4j-api/1.7.14/slf4j-api-1.7.14.jar":
        "b030a29e088dea60b07c7299d25f43cbd120502e10dcae3f382435ecd5de5ddd",
    # javax.rmi, which Java 11 has dropped and JacORB's delegate loads.
    CENTRAL + "org/jboss/spec/javax/rmi/jboss-rmi-api_1.0_spec/1.0.6.Final/"
              "jboss-rmi-api_1.0_spec-1.0.6.Final.jar":
        "07615653320a010a648d164e77751daddcfea5602148aa4da2f052bc6af0689e",
}
JACORB_COMPILER = {
    CENTRAL + "org/jacorb/jacorb-idl-compiler/3.9/jacorb-idl-compiler-3.9.jar":
        "cc2ff5b6751eb6767a5d3f4e05c330ff6791d04c12609e09cf25459bbba829d7",
    CENTRAL + "java_cup/java_cup/0.9e/java_cup-0.9e.jar":
        "e58a2604a85ab985fb94037c889bef90b0c2a862030c03b0e830aa54a4931037",
}
OPENJDK = {
    CENTRAL + "org/jboss/openjdk-orb/openjdk-orb/10.1.3.Final/openjdk-orb-10.1.3.Final.jar":
        "9d4e819243b7e0ab5a4440fdbf5e3be49f5b21bb64c3f9ca99bc63115f06e87d",
    CENTRAL + "jakarta/transaction/jakarta.transaction-api/2.0.1/jakarta.transaction-api-2.0.1.jar":
        "50c0a7c760c13ae6c042acf182b28f0047413db95b4636fb8879bcffab5ba875",
}
OPENJDK_COMPILER = {
    CENTRAL + "org/glassfish/corba/idlj/4.2.4/idlj-4.2.4.jar":
        "e5a542f47bf4493563a457d2cde0d7718378970c5492b82ba0e84d5687ddc67a",
}
OMNIORBPY = {
    PYPI + "79/80/b162245294fab8ac319e2859d891521fcc4ca5944df3d6fe1ade69356502/"
           "cmeel_omniorbpy-4.3.1-0-cp311-cp311-manylinux_2_28_x86_64.whl":
        "df46ad6a1a5c17b11d05ab27f99e65f0015871b3360ff3d92637f2650fb19673",
    PYPI + "eb/ab/dbb72fc09dc08189ddb3d908a43d19218bd289ed1934fa551626bc5f4a20/"
           "cmeel_omniorb-4.3.1-0-cp311-cp311-manylinux_2_28_x86_64.whl":
        "9d8c3d2fa4e80187e2a8713973aeb5a5000bef901c53f3dba878f8e161125949",
}


@dataclass
class Client:
    """A client's command line, without its arguments, and its environment variables."""
    command: list
    environment: dict = field(default_factory=dict)


def jacorb(folder):
    with_orb = fetch(JACORB, folder)
    compiler = [*with_orb, *fetch(JACORB_COMPILER, folder)]
    classes = java_classes(folder / "jacorb", with_orb, [
        "java", *JVM, "-cp", path_of(compiler), "org.jacorb.idl.parser", "-all", f"-I{IDL}", "-d"])
    return java_client(classes, with_orb, "org.jacorb.orb.ORB", "org.jacorb.orb.ORBSingleton",
                       "-DOAIAddr=127.0.0.1")


def openjdk(folder):
    with_orb = fetch(OPENJDK, folder)
    compiler = fetch(OPENJDK_COMPILER, folder)
    classes = java_classes(folder / "openjdk", with_orb, [
        "java", *JVM, "-cp", path_of(compiler),
        "com.sun.tools.corba.ee.idl.toJavaPortable.Compile", "-fall", "-i", str(IDL), "-td"])
    return java_client(classes, with_orb, "com.sun.corba.se.impl.orb.ORBImpl",
                       "com.sun.corba.se.impl.orb.ORBSingleton",
                       "-Dcom.sun.CORBA.ORBServerHost=127.0.0.1")


def omniorbpy(folder):
    python = python_3_11()
    wheels = fetch(OMNIORBPY, folder)
    with building(folder / "omniorbpy", wheels) as (built, new):
        prefix, stubs = built / "cmeel.prefix", built / "stubs"
        client = Client([python, "-B", str(HERE / "python" / "connect.py")], {
            "PYTHONPATH": path_of([prefix / "lib" / "python3.11" / "site-packages", stubs]),
            "LD_LIBRARY_PATH": str(prefix / "lib")})
        if new:
            for wheel in wheels:
                with zipfile.ZipFile(wheel) as archive:
                    archive.extractall(built)
            # omniidl runs this preprocessor; zipfile does not restore modes.
            (prefix / "bin" / "omnicpp").chmod(0o755)
            stubs.mkdir()
            done([python, "-B", prefix / "bin" / "omniidl", "-bpython", f"-C{stubs}", f"-I{IDL}",
                  *map(idl_file, CONTRACTS)], client.environment)
    return client


# --- Java ----------------------------------------------------------------------------------------

# For short runs on a busy host: little memory, no optimising compiler threads.
JVM = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"]


def java_classes(folder, orb, compiler):
    """Compiles every stub and skeleton, and the client; returns the folder of the classes.
    `compiler` is the IDL compiler's command line, to which the output folder and the IDL file are
    appended."""
    for program in ("java", "javac"):
        if shutil.which(program) is None:
            raise unittest.SkipTest(
                f"NOT TESTED: {program} is not installed (Debian: default-jdk-headless)")
    version = re.search(r"\d+", done(["javac", "-version"])).group()
    if int(version) < 11:
        raise unittest.SkipTest(f"NOT TESTED: javac is of Java {version}, Java 11 is needed")
    client = HERE / "java" / "Connect.java"
    with building(folder, [*orb, client], compiler) as (built, new):
        classes, stubs = built / "classes", built / "stubs"
        if new:
            for part in (classes, stubs):
                part.mkdir()
            for contract in CONTRACTS:
                done([*compiler, stubs, idl_file(contract)])
            (built / "sources").write_text("\n".join(
                str(path) for path in [*stubs.rglob("*.java"), client]))
            done(["javac", *(f"-J{word}" for word in JVM), "-nowarn", "-proc:none",
                  "-cp", path_of(orb), "-d", classes, f"@{built / 'sources'}"])
    return classes


def java_client(classes, orb, orb_class, singleton, published):
    return Client(["java", *JVM, "-cp", path_of([classes, *orb]),
                   f"-Dorg.omg.CORBA.ORBClass={orb_class}",
                   f"-Dorg.omg.CORBA.ORBSingletonClass={singleton}", published, "Connect"])


# --- Python --------------------------------------------------------------------------------------


def python_3_11():
    """The path of a CPython 3.11: the wheels are built for that version."""
    if sys.version_info[:2] == (3, 11):
        return sys.executable
    found = shutil.which("python3.11")
    if found is None:
        raise unittest.SkipTest("NOT TESTED: python3.11 is not installed, omniORBpy needs it")
    return found


# --- both -------------------------------------------------------------------------------------


def fetch(files, folder):
    """Downloads missing files; returns the paths of all."""
    paths = []
    for url, digest in files.items():
        path = folder / "fetched" / url.rpartition("/")[2]
        if not path.exists():
            try:
                with urllib.request.urlopen(url, timeout=60) as answer:
                    octets = answer.read()
            except (urllib.error.URLError, OSError) as error:
                raise unittest.SkipTest(
                    f"NOT TESTED: {url} cannot be downloaded: {error}") from None
            came = hashlib.sha256(octets).hexdigest()
            assert came == digest, f"{url} has the SHA-256 {came}, not {digest}"
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part")
            part.write_bytes(octets)
            part.rename(path)
        paths.append(path)
    return paths


class building:  # pylint: disable=invalid-name
    """The output folder of a build, and whether the block must fill it. The folder is kept while
    its stamp matches the input files, the command line and idl/."""

    def __init__(self, folder, files, command=()):
        self.folder = folder
        self.stamp = folder / "made-from"
        made_from = hashlib.sha256(repr(command).encode())
        for path in [*files, *map(idl_file, CONTRACTS), Path(__file__)]:
            made_from.update(path.read_bytes())
        self.made_from = made_from.hexdigest()

    def __enter__(self):
        new = not self.stamp.exists() or self.stamp.read_text() != self.made_from
        if new:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
        return self.folder, new

    def __exit__(self, trouble, *_):
        if trouble is None:
            self.stamp.write_text(self.made_from)


def idl_file(contract):
    return IDL / f"{contract}.idl"


def path_of(parts):
    return os.pathsep.join(map(str, parts))


def done(words, environment=None):
    """Runs a command and asserts its exit code 0; returns its output."""
    words = [str(word) for word in words]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=240,
                           stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
    said = ended.stdout + ended.stderr
    assert ended.returncode == 0, f"{' '.join(words)} ended with {ended.returncode}:\n{said}"
    return said
