"""Common parts of the messages of version 3: frame (RFC 3293), header, labels (RFC 3292, 3)."""

from picture import draw

HEADER = """
  Version:8 Message_Type:8 Result:8 Code:8
  Partition_ID:8 Transaction_Identifier:24
  I:1 SubMessage_Number:15 Length:16
"""
FRAME = "Type:16 Length:16"
LABEL = "x:1 S:1 F1:1 F2:1 Label_Type:12 Label_Length:16  x:4 VPI:12 VCI:16"
MPLS_LABEL = "x:1 S:1 F1:1 F2:1 Label_Type:12 Label_Length:16  x:12 Label:20"
ATM_LABEL = 0x100

NO_SUCCESS_ACK, ACK_ALL, SUCCESS, FAILURE, MORE, RETURN_RECEIPT = 1, 2, 3, 4, 5, 6
EVENT = 0
SESSION_1, SESSION_2 = 0x5eed0001, 0x5eed0002   # of ports 1 and 2
UNUSED_LABEL = bytes(8)


def framed(octets):
    return draw(FRAME, Type=0x880c, Length=len(octets)) + octets


def message(kind, result, transaction, *body, code=0):
    rest = b"".join(body)
    return framed(draw(HEADER, Version=3, Message_Type=kind, Result=result, Code=code, I=1,
                       Transaction_Identifier=transaction, SubMessage_Number=1,
                       Length=12 + len(rest)) + rest)


def mpls(label):
    """An MPLS label of 64 bits."""
    return draw(MPLS_LABEL, Label_Type=0x102, Label_Length=4, Label=label)


def atm(vci, vpi=0, **flags):
    """A label of 64 bits; F1 and F2 are the two flags to which the message gives a meaning."""
    return draw(LABEL, Label_Type=ATM_LABEL, Label_Length=4, VPI=vpi, VCI=vci, **flags)
