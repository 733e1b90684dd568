"""The schedulable regions of draft-adam-gsmp-sr-00, under the header of version 3.

The draft leaves some choices open, such as parameters of 4 octets and intercepts as whole calls.
docs/gsmp.md states the choices of this project.
"""

from picture import Vector, draw
from v3 import ACK_ALL, SESSION_2, SUCCESS, message

PARAMETER_SUPPORT = "SR_E:4 x:12 Qualitative_Mask:16 Quantitative_Mask:16 QoS_Mask:16"
CLASSES = "Port:32 Port_Session_Number:32 A:1 x:27 Classes:4"
CLASS = "Buffer_ID:11 Qualitative_Code:5 Quantitative_Mask:16 QoS_Mask:16 x:16"
WORD = "Parameter:32"
POLICY_SUPPORT = "SR_Estimator_Mask:16 x:16"
POLICY = "Port:32 Port_Session_Number:32 A:1 x:11 SR_E:4 x:4 Update_Threshold:12"
REGION = "Port:32 Port_Session_Number:32 x:12 Dimension:4 Planes_A:8 Planes_B:8"

CBR, VIDEO, AUDIO = 0, 1, 3                      # qualitative codes; VOICE is 2
PCR, SCR, MBS, CDVT = 0, 1, 2, 3                 # bits of the quantitative mask
MAX_CTD, AVERAGE_CTD, CLR, GAP_LOSS, CDV = 0, 1, 2, 3, 4   # bits of the QoS mask
PEAK_RATE, PROPRIETARY = 0, 15                   # estimators
WHERE = {"Port": 2, "Port_Session_Number": SESSION_2}


def mask(*bits):
    """Bit 0 is the most significant one."""
    return sum(0x8000 >> bit for bit in bits)


def words(numbers):
    return b"".join(draw(WORD, Parameter=number) for number in numbers)


def traffic_class(buffer, kind, traffic, qos):
    return draw(CLASS, Buffer_ID=buffer, Qualitative_Code=kind, Quantitative_Mask=mask(*traffic),
                QoS_Mask=mask(*qos)) + words(traffic.values()) + words(qos.values())


def drawn(kind, result, transaction, *body):
    return Vector("draft-adam-gsmp-sr-00 under the header of RFC 3292",
                  message(kind, result, transaction, *body))


VECTORS = {
    "X1": drawn(227, SUCCESS, 0x801, draw(REGION, Dimension=2, Planes_A=1, **WHERE),
                words([78, 31])),
    "X2": drawn(220, SUCCESS, 0x802, draw(
        PARAMETER_SUPPORT, SR_E=PROPRIETARY, Qualitative_Mask=mask(CBR, 2),
        Quantitative_Mask=mask(PCR, CDVT), QoS_Mask=mask(MAX_CTD, CLR, CDV))),
    "X3": drawn(221, ACK_ALL, 0x803, draw(CLASSES, A=1, Classes=2, **WHERE),
                traffic_class(1, CBR, {PCR: 4528}, {MAX_CTD: 500, CLR: 9}),
                traffic_class(2, VIDEO, {PCR: 11320, SCR: 4000, MBS: 200},
                              {AVERAGE_CTD: 2000, CDV: 300})),
    "X4": drawn(222, SUCCESS, 0x804, draw(CLASSES, Classes=1, **WHERE),
                traffic_class(2047, AUDIO, {PCR: 1000, CDVT: 250}, {GAP_LOSS: 5})),
    "X5": drawn(223, SUCCESS, 0x805, draw(
        POLICY_SUPPORT, SR_Estimator_Mask=mask(PEAK_RATE, PROPRIETARY))),
    "X6": drawn(224, ACK_ALL, 0x806, draw(
        POLICY, A=1, SR_E=PROPRIETARY, Update_Threshold=2000, **WHERE), words([100, 10])),
    "X7": drawn(225, SUCCESS, 0x807, draw(POLICY, Update_Threshold=500, **WHERE)),
    "X8": drawn(226, ACK_ALL, 0x808, draw(REGION, Dimension=2, Planes_A=1, Planes_B=2, **WHERE),
                words([78, 31]), words([100, 40]), words([80, 60])),
}
