"""Adjacency (RFC 3292 section 11), connections (4), reservations (5), traffic parameters (10)."""

from picture import Vector, draw
from v3 import (ACK_ALL, FAILURE, NO_SUCCESS_ACK, SESSION_1, SUCCESS, UNUSED_LABEL, atm, framed,
                message, mpls)

ADJACENCY = """
  Version:8 Message_Type:8 Timer:8 M:1 Code:7
  Sender_Name:48 Receiver_Name:48
  Sender_Port:32
  Receiver_Port:32
  PType:4 PFlag:4 Sender_Instance:24
  Partition_ID:8 Receiver_Instance:24
"""
CONTROLLER = {"Name": 0x0200000a0001, "Port": 1, "Instance": 0x0a1b2c}
SWITCH = {"Name": 0x0200000b0001, "Port": 0x10, "Instance": 0x3d4e5f}
SYN, SYNACK, ACK, RSTACK = 1, 2, 3, 4


def adjacency(sender, code, receiver=None, flag=1, **fields):
    ends = {f"Sender_{name}": value for name, value in sender.items()}
    ends |= {f"Receiver_{name}": value for name, value in (receiver or {}).items()}
    return Vector("RFC 3292 section 11.1", framed(draw(
        ADJACENCY, Version=3, Message_Type=10, Timer=10, Code=code, PFlag=flag, **ends, **fields)))


ADD = """
  Port_Session_Number:32
  Reservation_ID:32
  Input_Port:32
  Input_Service_Selector:32
  Output_Port:32
  Output_Service_Selector:32
  IQS:2 OQS:2 P:1 x:1 N:1 O:1 Adaptation:24
"""
MOVE = """
  Port_Session_Number:32
  Input_Port:32
  Input_Service_Selector:32
  Old_Output_Port:32
  New_Output_Port:32
  Output_Service_Selector:32
  IQS:2 OQS:2 P:1 x:1 N:1 O:1 Adaptation:24
"""
DELETE = "x:16 Number_of_Elements:16"
ELEMENT = "Error:4 x:12 Element_Length:16 Port_Session_Number:32 Input_Port:32 Output_Port:32"
RESERVATION = "Port_Session_Number:32 Reservation_ID:32"
SERVICE = "Service_ID:16 Capability_Set_ID:16"
TRAFFIC_CONTROLS = "U:1 D:1 I:1 E:1 S:1 V:1 P:1 x:25"
CBR = "x:8 PCR:24 x:8 CDVT:24"
VBR = "x:8 PCR:24 x:8 CDVT:24 x:8 SCR:24 x:8 MBS:24"


def number(octets):
    return int.from_bytes(octets, "big")


def service(ident, capability_set=1):
    return number(draw(SERVICE, Service_ID=ident, Capability_Set_ID=capability_set))


def add(result, transaction, input_label, output_label, *traffic, kind=16, code=0, **fields):
    fields = {"Port_Session_Number": SESSION_1, "Input_Port": 1, "Output_Port": 2, "N": 1} | fields
    return message(kind, result, transaction, draw(ADD, **fields), input_label, output_label,
                   *traffic, code=code)


def whole(kind, transaction, input_label, result=ACK_ALL, code=0):
    """A message about a whole connection or port: the output fields of the picture are unused."""
    return add(result, transaction, input_label, UNUSED_LABEL, kind=kind, code=code, Output_Port=0,
               N=0)


def element(input_vci, output_vci, error=0):
    labels = atm(input_vci) + atm(output_vci)
    return draw(ELEMENT, Error=error, Element_Length=16 + len(labels), Input_Port=1, Output_Port=2,
                Port_Session_Number=SESSION_1) + labels


BOTH_BY_SERVICE = {"IQS": 2, "OQS": 2, "P": 1}   # one block of parameters for both directions
ADD_BRANCH = "RFC 3292 section 4.2"

VECTORS = {
    "A1": adjacency(CONTROLLER, SYN, M=1),
    "A2": adjacency(SWITCH, SYN),
    "A3": adjacency(SWITCH, SYNACK, CONTROLLER),
    "A4": adjacency(CONTROLLER, SYNACK, SWITCH),
    "A5": adjacency(CONTROLLER, ACK, SWITCH),
    "A6": adjacency(SWITCH, ACK, CONTROLLER),
    "A7": adjacency(CONTROLLER, RSTACK, SWITCH),
    "A8": adjacency(CONTROLLER, SYN, M=1, flag=2, PType=1, Partition_ID=7),
    "B1": Vector(ADD_BRANCH, add(ACK_ALL, 0x101, atm(100), atm(200))),
    "B2": Vector(ADD_BRANCH, add(SUCCESS, 0x101, atm(100), atm(200))),
    "B3": Vector(ADD_BRANCH, add(FAILURE, 0x101, atm(100), atm(200), code=5)),
    "B4": Vector(ADD_BRANCH + " and 10.4", add(
        ACK_ALL, 0x102, atm(101), atm(201), draw(TRAFFIC_CONTROLS, U=1),
        draw(CBR, PCR=4528, CDVT=250), Input_Service_Selector=service(1),
        Output_Service_Selector=service(1), **BOTH_BY_SERVICE)),
    "B5": Vector(ADD_BRANCH, add(NO_SUCCESS_ACK, 0x103, atm(102, F2=1), atm(202)),
                 "B of the input label: both ways"),
    "B6": Vector(ADD_BRANCH, add(ACK_ALL, 0x104, atm(0, vpi=5, F1=1), atm(0, vpi=9), kind=26),
                 "M of the input label: multicast is to come"),
    "B7": Vector(ADD_BRANCH, add(ACK_ALL, 0x105, atm(103), mpls(0xfedcb)), "from ATM to MPLS"),
    "B8": Vector(ADD_BRANCH + " and 10.4", add(
        ACK_ALL, 0x106, atm(104), atm(204), draw(TRAFFIC_CONTROLS, U=1, P=1),
        draw(CBR, PCR=4528, CDVT=250), Input_Service_Selector=service(1, 3),
        Output_Service_Selector=2, IQS=2, OQS=0), "a service coming in, a priority going out"),
    "B9": Vector(ADD_BRANCH + " and 10.4", add(
        ACK_ALL, 0x107, atm(104), atm(204), draw(TRAFFIC_CONTROLS, P=1),
        draw(CBR, PCR=9056, CDVT=125), draw(TRAFFIC_CONTROLS, U=1),
        draw(VBR, PCR=20000, CDVT=100, SCR=5000, MBS=50), Input_Service_Selector=service(1, 4),
        Output_Service_Selector=service(5, 5), IQS=2, OQS=2), "two services, each with its block"),
    "D1": Vector("RFC 3292 section 4.7", message(
        17, ACK_ALL, 0x201, draw(DELETE, Number_of_Elements=1), element(100, 200))),
    "D2": Vector("RFC 3292 section 4.7", message(17, SUCCESS, 0x201, draw(DELETE))),
    "D3": Vector("RFC 3292 section 4.7", message(
        17, FAILURE, 0x202, draw(DELETE, Number_of_Elements=2), element(100, 200),
        element(555, 655, error=11), code=10)),
    "D4": Vector("RFC 3292 section 4.3", whole(18, 0x203, atm(100))),
    "D5": Vector("RFC 3292 section 4.5", whole(20, 0x204, UNUSED_LABEL)),
    "F1": Vector("RFC 3292 section 4.4", whole(19, 0x701, atm(100), result=FAILURE, code=3),
                 "a type that is gone"),
    "M1": Vector("RFC 3292 section 4.8", message(22, ACK_ALL, 0x301, draw(
        MOVE, Port_Session_Number=SESSION_1, Input_Port=1, Old_Output_Port=2, New_Output_Port=3,
        N=1), atm(100), atm(200), atm(300))),
    "R1": Vector("RFC 3292 sections 5.1 and 10.4", add(
        ACK_ALL, 0x401, UNUSED_LABEL, atm(210), draw(TRAFFIC_CONTROLS),
        draw(VBR, PCR=20000, CDVT=100, SCR=5000, MBS=50), kind=70, Reservation_ID=7,
        Input_Service_Selector=service(5), Output_Service_Selector=service(5), **BOTH_BY_SERVICE)),
    "R2": Vector("RFC 3292 section 5.2", message(71, ACK_ALL, 0x402, draw(
        RESERVATION, Port_Session_Number=SESSION_1, Reservation_ID=7))),
    "R3": Vector("RFC 3292 section 5.3", message(72, ACK_ALL, 0x403)),
}
