"""Version 1.1 (RFC 1987) and the one SYN of version 2 (RFC 2297), without a frame header.

W is followed by the message's type, S is a success and F a failure.
"""

from picture import Vector, draw

HEADER = "Version:8 Message_Type:8 Result:8 Code:8 Transaction_Identifier:32"
LABEL = "x:4 VPI:12 VCI:16"
ADJACENCY = """
  Version:8 Message_Type:8 Result:8 M:1 Code:7
  Sender_Name:48 Receiver_Name:48
  Sender_Port:32
  Receiver_Port:32
  Sender_Instance:32
  Receiver_Instance:32
"""
CONNECTION = f"""
  Port_Session_Number:32
  Input_Port:32
  {LABEL.replace("V", "Input_V")}
  Output_Port:32
  {LABEL.replace("V", "Output_V")}
  Number_of_Branches:16 Reserved:8 Priority:8
"""
MOVE = f"""
  Port_Session_Number:32
  Input_Port:32
  {LABEL.replace("V", "Input_V")}
  Old_Output_Port:32
  {LABEL.replace("V", "Old_V")}
  New_Output_Port:32
  {LABEL.replace("V", "New_V")}
  Reserved:24 Priority:8
"""
PORT_MANAGEMENT = """
  Port:32
  Port_Session_Number:32
  Event_Sequence_Number:32
  U:1 D:1 I:1 N:1 Z:1 x:3 Duration:8 Function:16
"""
ACTIVITY = "Number_of_Records:16 Reserved:16"
ACTIVITY_RECORD = "Input_Port:32 V:1 C:1 A:1 x:1 VPI:12 VCI:16 Traffic_Count:64"
STATISTICS = f"Port:32 {LABEL}"
COUNTER = "Counter:64"
PORT = "Port:32"
SWITCH = "Firmware_Version_Number:16 Reserved:16 Switch_Type:16 Switch_Name:48"
PORT_RECORD = """
  Port:32
  Port_Session_Number:32
  x:4 Min_VPI:12 x:4 Max_VPI:12
  Min_VCI:16 Max_VCI:16
  Cell_Rate:32
  Port_Status:8 Port_Type:8 Line_Status:8 Priorities:8
"""
ALL_PORTS = "Number_of_Records:16 Record_Length:16"
EVENT = f"Port:32 Port_Session_Number:32 Event_Sequence_Number:32 {LABEL}"

ACK_ALL, SUCCESS, FAILURE = 2, 3, 4
SESSION = 0x5eed0001
CONTROLLER = {"Name": 0x0200000a0001, "Port": 1, "Instance": 0x0a1b2c3d}
AGENT = {"Name": 0x0200000b0001, "Port": 0x10, "Instance": 0x3d4e5f60}


def drawn(section, kind, result, transaction, *body, code=0):
    return Vector(f"RFC 1987 section {section}", draw(
        HEADER, Version=1, Message_Type=kind, Result=result, Code=code,
        Transaction_Identifier=transaction) + b"".join(body))


def adjacency(sender, code, receiver=None, text="RFC 1987 section 8", **fields):
    ends = {f"Sender_{name}": value for name, value in sender.items()}
    ends |= {f"Receiver_{name}": value for name, value in (receiver or {}).items()}
    return Vector(text, draw(ADJACENCY, **({"Version": 1} | fields), Message_Type=10, Code=code,
                             **ends))


def connection(section, kind, result, transaction, code=0, **fields):
    return drawn(section, kind, result, transaction, draw(CONNECTION, **(
        {"Port_Session_Number": SESSION, "Input_Port": 1} | fields)), code=code)


def event(kind, port, session, sequence, **label):
    return drawn("7", kind, 0, 0, draw(EVENT, Port=port, Port_Session_Number=session,
                                       Event_Sequence_Number=sequence, **label))


def port_record(**vpis):
    return draw(PORT_RECORD, Port=1, Port_Session_Number=SESSION, Min_VCI=32, Max_VCI=1023,
                Cell_Rate=353207, Port_Status=1, Line_Status=1, Priorities=4, **vpis)


BRANCH = {"Input_VCI": 100, "Output_Port": 2, "Output_VCI": 200}

VECTORS = {
    "V1": adjacency(CONTROLLER, 1),
    "V2": connection("3.1", 16, ACK_ALL, 0x101, Priority=1, **BRANCH),
    "V3": event(81, 2, 0x5eed0002, 1),
    "W10": adjacency(AGENT, 3, CONTROLLER),
    "W16": connection("3.1", 16, SUCCESS, 0x101, Priority=1, **BRANCH),
    "W17": connection("3.2", 17, ACK_ALL, 0x201, **BRANCH),
    "W17F": connection("3.2", 17, FAILURE, 0x201, code=9, **BRANCH),
    "W18": connection("3.3", 18, ACK_ALL, 0x202, Input_VCI=100),
    "W19": connection("3.4", 19, ACK_ALL, 0x204, Input_VCI=100, Number_of_Branches=2),
    "W19F": connection("3.4", 19, FAILURE, 0x204, code=16, Input_VCI=100, Number_of_Branches=3),
    "W20": connection("3.5", 20, ACK_ALL, 0x203),
    "W22": drawn("3.6", 22, ACK_ALL, 0x301, draw(
        MOVE, Port_Session_Number=SESSION, Input_Port=1, Input_VCI=100, Old_Output_Port=2,
        Old_VCI=200, New_Output_Port=3, New_VCI=300, Priority=2)),
    "W32": drawn("4", 32, ACK_ALL, 0x501, draw(
        PORT_MANAGEMENT, Port=1, Port_Session_Number=SESSION, D=1, I=1, Function=7)),
    "W32S": drawn("4", 32, SUCCESS, 0x501, draw(
        PORT_MANAGEMENT, Port=1, Port_Session_Number=0x5eed0011, Event_Sequence_Number=9,
        Duration=10, Function=3)),
    "W48": drawn("5.1", 48, SUCCESS, 0x601, draw(ACTIVITY, Number_of_Records=2),
                 draw(ACTIVITY_RECORD, Input_Port=1, V=1, A=1, VCI=100, Traffic_Count=0x1234),
                 draw(ACTIVITY_RECORD, Input_Port=1, C=1, VCI=101)),
    "W49": drawn("5.2", 49, ACK_ALL, 0x602, draw(STATISTICS, Port=1)),
    "W50": drawn("5.3", 50, ACK_ALL, 0x603, draw(STATISTICS, Port=1, VCI=100)),
    "W50S": drawn("5.3", 50, SUCCESS, 0x603, draw(STATISTICS, Port=1, VCI=100),
                  *[draw(COUNTER, Counter=count) for count in [*range(1, 10), 0x1_0000_000a]]),
    "W64": drawn("6.1", 64, ACK_ALL, 1, draw(PORT)),
    "W64S": drawn("6.1", 64, SUCCESS, 1, draw(
        SWITCH, Firmware_Version_Number=0x100, Switch_Type=0x5842, Switch_Name=0x0200000b0001)),
    "W65": drawn("6.2", 65, ACK_ALL, 2, draw(PORT, Port=1)),
    "W65S": drawn("6.2", 65, SUCCESS, 2, port_record(Min_VPI=1, Max_VPI=2)),
    "W66": drawn("6.3", 66, ACK_ALL, 3, draw(PORT)),
    "W66S": drawn("6.3", 66, SUCCESS, 3, draw(
        ALL_PORTS, Number_of_Records=1, Record_Length=24), port_record()),
    "W80": event(80, 2, 0x5eed0022, 2),
    "W82": event(82, 1, SESSION, 1, VCI=999),
    "W83": event(83, 3, 0x5eed0003, 1),
    "W84": event(84, 3, 0x5eed0003, 2),
}

VERSION_2 = {
    "V4": adjacency(CONTROLLER, 1, text="RFC 2297, adjacency protocol", Version=2, Result=10, M=1),
}
