// xbind-switchserver: the server in front of label switches.
#include "switchserver/program.hpp"

int main(int argc, char** argv) { return xbind::run_switch_server(argc, argv); }
