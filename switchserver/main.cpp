// xbind-switchserver: stands before one label switch.
#include "switchserver/program.hpp"

int main(int argc, char** argv) { return xbind::run_switch_server(argc, argv); }
