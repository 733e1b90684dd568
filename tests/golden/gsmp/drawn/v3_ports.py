"""Configuration (RFC 3292 section 8), ports (6), state and statistics (7), events (9).

C8 to C12, L3, L4 and S4 to S8 set one flag at a time, and different numbers in fields that are
alike: a codec that confuses two of them in both directions cannot agree with these octets.
"""

from picture import Vector, draw
from v3 import (ACK_ALL, EVENT, RETURN_RECEIPT, SESSION_1, SESSION_2, SUCCESS, UNUSED_LABEL, atm,
                message, mpls)

SWITCH_CONFIGURATION = """
  MType:8 MType_2:8 MType_3:8 MType_4:8
  Firmware_Version_Number:16 Window_Size:16
  Switch_Type:16 Switch_Name:48
  Max_Reservations:32
"""
PORT = "Port:32"
PORT_RECORD = """
  Port:32
  Port_Session_Number:32
  Event_Sequence_Number:32
  Event_Flags:16 Port_Attribute_Flags:16
  PortType:8 S:1 x:7 Data_Fields_Length:16
"""
ATM_RANGES = "P:1 M:1 L:1 R:1 Q:1 Label_Range_Count:11 Label_Range_Length:16"
ATM_DATA = """
  Receive_Data_Rate:32
  Transmit_Data_Rate:32
  Port_Status:8 Line_Type:8 Line_Status:8 Priorities:8
  Physical_Slot_Number:16 Physical_Port_Number:16
"""
SERVICES = "x:16 Number_of_Service_Specs:16"
SERVICE_SPEC = "Service_ID:16 Capability_Set_ID:16"
SERVICE_RECORDS = "x:16 Number_of_Service_Records:16"
SERVICE_RECORD = "Service_ID:16 Number_of_Capability_Sets:16"
CAPABILITY_SET = """
  Capability_Set_ID:16 U:2 D:2 I:2 E:2 S:2 V:2 x:4
  CLR:8 CTD:24
  Frequency:8 CDV:24
"""
PORT_MANAGEMENT = """
  Port:32
  Port_Session_Number:32
  Event_Sequence_Number:32
  R:1 x:7 Duration:8 Function:16
  Event_Flags:16 Flow_Control_Flags:16
  Transmit_Data_Rate:32
"""
LABEL_RANGES = """
  Port:32
  Port_Session_Number:32
  Q:1 M:1 D:1 x:1 Range_Count:12 Range_Length:16
"""
REMAINING = "Remaining_VPIs:16 Remaining_VCIs:16"
REMAINING_LABELS = "Remaining_Labels:32"
STATISTICS = "Port:32"
ACTIVITY = "Number_of_Records:16 x:16"
ACTIVITY_RECORD = """
  V:1 C:1 A:1 x:1 TC_Count:12 TC_Block_Length:16
  Input_Port:32
  Traffic_Count:64
"""
REPORT_PART = "Input_Port:32 Sequence_Number:32"
REPORT_RECORD = "A:1 V:1 P:1 Record_Count:11 Record_Length:18"
OUTPUT_BRANCH = "Output_Port:32"
EVENT_BODY = "Port:32 Port_Session_Number:32 Event_Sequence_Number:32"

LINE_RATE = 353207
ATM, MPLS = 1, 3  # port types
ON_ALL, ON_REQUEST = 1, 2    # of traffic controls: on all connections, on request per connection


def port_record(flags, ranges, services=None, session=SESSION_1, receives=LINE_RATE,
                transmits=LINE_RATE, head=None, kind=ATM, **data):
    labels = b"".join(ranges)
    fields = {"Port_Status": 1, "Line_Type": 37, "Line_Status": 1, "Priorities": 4,
              "Physical_Port_Number": 1} | data
    body = draw(ATM_RANGES, Label_Range_Count=len(ranges), Label_Range_Length=len(labels), **flags)
    body += labels
    body += draw(ATM_DATA, Receive_Data_Rate=receives, Transmit_Data_Rate=transmits, **fields)
    if services is not None:
        body += draw(SERVICES, Number_of_Service_Specs=len(services))
        body += b"".join(draw(SERVICE_SPEC, Service_ID=one, Capability_Set_ID=1)
                         for one in services)
    return draw(PORT_RECORD, Port_Session_Number=session, PortType=kind,
                S=int(services is not None), Data_Fields_Length=len(body),
                **({"Port": 1} | (head or {}))) + body


def one_flag(flag, transaction, receives, transmits):
    """A record in which all numbers differ and one flag is set."""
    record = port_record({flag: 1}, [atm(33, vpi=1) + atm(65000, vpi=2)], receives=receives,
                         transmits=transmits, session=0x5eed0006,
                         head={"Port": 6, "Event_Sequence_Number": 9, "Event_Flags": 0x4000,
                               "Port_Attribute_Flags": 0x8000},
                         Port_Status=2, Line_Status=3, Priorities=5, Physical_Slot_Number=7,
                         Physical_Port_Number=8)
    return Vector("RFC 3292 section 8.2", message(65, SUCCESS, transaction, record))


def ranges(result, transaction, *elements, **flags):
    fields = {"Port": 1, "Port_Session_Number": SESSION_1} | flags
    return Vector("RFC 3292 section 6.2", message(33, result, transaction, draw(
        LABEL_RANGES, Range_Count=len(elements), Range_Length=20 * len(elements), **fields),
        *elements))


def labels(least, most, vpis=0, vcis=0):
    return least + most + draw(REMAINING, Remaining_VPIs=vpis, Remaining_VCIs=vcis)


def managed(result, transaction, **fields):
    return Vector("RFC 3292 section 6.1", message(32, result, transaction, draw(
        PORT_MANAGEMENT, **({"Port": 1, "Port_Session_Number": SESSION_1} | fields))))


def activity(result, transaction, *records):
    return Vector("RFC 3292 section 7.1", message(48, result, transaction, draw(
        ACTIVITY, Number_of_Records=len(records)), *records))


def activity_of(label, port=1, cells=None, **flags):
    """A record; its count, if any, has 8 octets. The picture has room for a count in any case."""
    count = {} if cells is None else {"TC_Count": 1, "TC_Block_Length": 8, "Traffic_Count": cells}
    return draw(ACTIVITY_RECORD, Input_Port=port, **count, **flags) + label


def report(result, transaction, port, label):
    return Vector("RFC 3292 section 7.3", message(
        52, result, transaction, draw(PORT, Port=port), label))


def report_part(transaction, port, sequence, *records):
    return Vector("RFC 3292 section 7.3", message(52, SUCCESS, transaction, draw(
        REPORT_PART, Input_Port=port, Sequence_Number=sequence), *records),
        "first word: 3, 11, 18 bits")


def reported(label, branches, **flags):
    body = b"".join(draw(OUTPUT_BRANCH, Output_Port=port) + to for port, to in branches)
    return draw(REPORT_RECORD, Record_Count=len(branches), Record_Length=len(body), **flags) \
        + label + body


def event(section, kind, port, session, sequence, label=UNUSED_LABEL, result=EVENT, code=0):
    return Vector(f"RFC 3292 section {section}", message(kind, result, 0, draw(
        EVENT_BODY, Port=port, Port_Session_Number=session, Event_Sequence_Number=sequence),
        label, code=code))


VECTORS = {
    "C1": Vector("RFC 3292 section 8.1", message(64, ACK_ALL, 1, draw(SWITCH_CONFIGURATION))),
    "C2": Vector("RFC 3292 section 8.1", message(64, SUCCESS, 1, draw(
        SWITCH_CONFIGURATION, Firmware_Version_Number=0x100, Window_Size=256, Switch_Type=0x5842,
        Switch_Name=0x0200000b0001, Max_Reservations=1024))),
    "C3": Vector("RFC 3292 section 8.2", message(65, ACK_ALL, 2, draw(PORT, Port=1))),
    "C4": Vector("RFC 3292 section 8.2", message(65, SUCCESS, 2, port_record(
        {"P": 1, "M": 1, "L": 1, "R": 1}, [atm(32) + atm(1023)], services=[1, 5, 8]))),
    "C5": Vector("RFC 3292 section 8.3", message(66, ACK_ALL, 3, draw(PORT))),
    "C6": Vector("RFC 3292 section 8.4", message(67, ACK_ALL, 4)),
    "C7": Vector("RFC 3292 section 8.4", message(
        67, SUCCESS, 4, draw(SERVICE_RECORDS, Number_of_Service_Records=2),
        draw(SERVICE_RECORD, Service_ID=1, Number_of_Capability_Sets=1),
        draw(CAPABILITY_SET, Capability_Set_ID=1, U=ON_REQUEST, E=ON_ALL, CLR=9, CTD=500, CDV=100),
        draw(SERVICE_RECORD, Service_ID=8, Number_of_Capability_Sets=1),
        draw(CAPABILITY_SET, Capability_Set_ID=1, D=ON_ALL, V=ON_REQUEST, CLR=255))),
    "C8": one_flag("P", 0x0a, receives=353207, transmits=96000),
    "C9": one_flag("M", 0x0b, receives=96000, transmits=353207),
    "C10": one_flag("L", 0x0c, receives=0, transmits=0x80000001),
    "C11": one_flag("R", 0x0d, receives=0x80000001, transmits=0),
    "C12": one_flag("Q", 0x0e, receives=1, transmits=2),
    "C13": Vector("RFC 3292 section 8.2", message(65, SUCCESS, 0x0f, port_record(
        {"M": 1, "L": 1, "R": 1}, [mpls(16) + mpls(1023), mpls(70000) + mpls(0xfffff)], kind=MPLS,
        services=[8], Line_Type=166)), "an MPLS port, its rates in cells a second"),
    "P1": managed(ACK_ALL, 0x501, Function=1),
    "P2": managed(SUCCESS, 0x501, Function=1, Port_Session_Number=0x5eed0011),
    "P3": managed(ACK_ALL, 0x502, Function=7, Port_Session_Number=0x5eed0011, Event_Flags=0x4000),
    "L1": ranges(ACK_ALL, 0x503, labels(atm(0), atm(0)), Q=1),
    "L2": ranges(SUCCESS, 0x503, labels(atm(32), atm(1023), vcis=0x0c00), Q=1),
    "L3": ranges(ACK_ALL, 0x504, labels(atm(35, vpi=2), atm(99, vpi=3), vpis=7, vcis=513), M=1),
    "L4": ranges(ACK_ALL, 0x505, labels(atm(0, vpi=4, F1=1), atm(0, vpi=6)),
                 labels(atm(41, F2=1), atm(77)), D=1),
    "L5": ranges(SUCCESS, 0x506,
                 mpls(16) + mpls(1023) + draw(REMAINING_LABELS, Remaining_Labels=1000),
                 mpls(70000) + mpls(0xfffff) + draw(REMAINING_LABELS, Remaining_Labels=0xe_ee90),
                 Q=1, D=1),
    "S1": Vector("RFC 3292 section 7.2", message(49, ACK_ALL, 0x601, draw(
        STATISTICS, Port=1), UNUSED_LABEL)),
    "S2": report(ACK_ALL, 0x602, 1, draw("x:2 A:1 V:1 Label_Type:12 Label_Length:16 x:32", A=1,
                                         Label_Type=0x100, Label_Length=4)),
    "S3": report_part(0x602, 1, 0, reported(atm(100), [(2, atm(200))], A=1)),
    "S4": activity(ACK_ALL, 0x603, activity_of(atm(100)), activity_of(atm(101, vpi=3), port=2)),
    "S5": activity(SUCCESS, 0x603, activity_of(atm(100), cells=0x1_0000_0002, V=1),
                   activity_of(atm(101), port=2, V=1, C=1),
                   activity_of(atm(102), port=3, V=1, C=1, A=1), activity_of(atm(103), port=4)),
    "S6": report(ACK_ALL, 0x604, 3, draw(
        "x:2 A:1 V:1 Label_Type:12 Label_Length:16 x:4 VPI:12 VCI:16", V=1, Label_Type=0x100,
        Label_Length=4, VPI=5)),
    "S7": report_part(0x604, 3, 1, reported(atm(100, vpi=5), [(4, atm(201, vpi=6))], V=1),
                      reported(atm(0, vpi=7), [(2, atm(0, vpi=8)), (1, atm(0, vpi=9))], P=1)),
    "S9": report_part(0x606, 3, 0, reported(mpls(0xfedcb), [(1, atm(200, vpi=5))])),
    "S8": activity(SUCCESS, 0x605, activity_of(atm(100), C=1), activity_of(atm(101), A=1)),
    "E1": event("9.2", 81, 2, SESSION_2, 1),
    "E2": event("9.1", 80, 2, 0x5eed0022, 2),
    "E3": event("9.3", 82, 1, SESSION_1, 1, atm(999), result=RETURN_RECEIPT),
    "E5": event("9.3", 82, 3, SESSION_1, 2, mpls(0xfedcb)),
    "E4": event("9.6", 85, 0, 0, 0, code=2),
}
