-- GSMP in Wireshark and tshark: versions 3 (RFC 3292, with the schedulable-region messages 220 to
-- 227) and 1.1 (RFC 1987) over TCP (RFC 3293); of version 2 (RFC 2297) the adjacency messages.
--
--   tshark -X lua_script:gsmp.lua -r FILE -Y gsmp
--
-- README.md explains the installation. Replaces the ANCP dissector on TCP port 6068.

local gsmp = Proto("gsmp", "General Switch Management Protocol")

gsmp.prefs.port = Pref.uint("TCP port", 6068, "Port the switches listen on")

local FRAME_TYPE, FRAME_HEADER = 0x880c, 4
local ADJACENCY = 10

-- Names of numbers --------------------------------------------------------------------------------

local TYPES = {
  [10] = "Adjacency", [16] = "Add Branch", [17] = "Delete Branches", [18] = "Delete Tree",
  [19] = "Verify Tree", [20] = "Delete All Input Port", [21] = "Delete All Output Port",
  [22] = "Move Output Branch", [23] = "Move Input Branch", [26] = "VPC Add Branch",
  [27] = "VPC Move Output Branch", [28] = "VPC Move Input Branch", [32] = "Port Management",
  [33] = "Label Range", [48] = "Connection Activity", [49] = "Port Statistics",
  [50] = "Connection Statistics", [52] = "Report Connection State", [64] = "Switch Configuration",
  [65] = "Port Configuration", [66] = "All Ports Configuration", [67] = "Service Configuration",
  [70] = "Reservation Request", [71] = "Delete Reservation", [72] = "Delete All Reservations",
  [80] = "Port Up", [81] = "Port Down", [82] = "Invalid Label", [83] = "New Port", [84] = "Dead Port",
  [85] = "Adjacency Update", [220] = "Get Traffic and QoS Parameter Support",
  [221] = "Set Traffic Classes and QoS", [222] = "Get Traffic Classes and QoS",
  [223] = "Get Estimation Policy Support", [224] = "Set Estimation Policy",
  [225] = "Get Estimation Policy", [226] = "Set Schedulable Region", [227] = "Get Schedulable Region",
}
-- Names that differ in version 1.1.
local V1_TYPES = { [17] = "Delete Branch", [20] = "Delete All", [22] = "Move Branch",
                   [48] = "VC Activity", [50] = "VC Statistics" }
local RESULTS = { [0] = "Event", [1] = "NoSuccessAck", [2] = "AckAll", [3] = "Success", [4] = "Failure",
                  [5] = "More", [6] = "ReturnReceipt" }
-- The text of a result, after the message's name.
local KINDS = { [0] = "event", [1] = "request (no success ack)", [2] = "request", [3] = "success",
                [4] = "failure", [5] = "success, more follows", [6] = "event (return receipt)" }
local CODES = {
  [0] = "none", [1] = "unspecified", [2] = "invalid request message", [3] = "not implemented",
  [4] = "port does not exist", [5] = "invalid port session number", [6] = "port down",
  [7] = "invalid partition", [10] = "general, meaning by message type", [11] = "no such connection",
  [12] = "no such branch", [13] = "invalid input label", [14] = "invalid output label",
  [15] = "bidirectional connection exists", [16] = "invalid service selector",
  [17] = "no resources for QoS profile", [18] = "insufficient resources for the branch",
  [19] = "out of resources", [20] = "reservation id out of range",
  [21] = "ports differ from the reservation's", [22] = "reservation id in use",
  [23] = "no such reservation", [24] = "no VP switching on input port",
  [25] = "no point-to-multipoint VPC", [26] = "VPC branch onto VCC", [27] = "VCC branch onto VPC",
  [28] = "VP switching on a port that is not ATM", [29] = "branch already on that output port",
  [30] = "too many multicast connections", [31] = "too many branches",
  [32] = "branches cannot be labelled differently", [33] = "multipoint branch onto bidirectional",
  [34] = "label cannot be given to that branch", [35] = "other multicast trouble",
  [36] = "connection replace not active", [37] = "replace not with bidirectional or multipoint",
  [40] = "label range impossible", [41] = "label ranges are disjoint", [42] = "no multipoint labels",
  [43] = "rate is fixed", [44] = "rate out of range", [45] = "connection replace unsupported",
  [46] = "warning: labels of the old range in use", [60] = "no such class", [61] = "outside the region",
  [62] = "estimator unknown", [63] = "parameter not supported", [80] = "no QoS per branch",
}
local V1_CODES = {
  [0] = "none", [1] = "unspecified", [2] = "invalid request message", [3] = "not implemented",
  [4] = "invalid port session number", [5] = "port does not exist", [6] = "port down",
  [7] = "VPI/VCI out of range", [8] = "no such connection", [9] = "no such branch",
  [10] = "branch already on that output port", [11] = "too many multicast connections",
  [12] = "too many branches", [13] = "VPI/VCI cannot be given to that branch",
  [14] = "other multicast trouble", [15] = "out of resources", [16] = "general, meaning by message type",
}
local ADJACENCY_CODES = { [1] = "SYN", [2] = "SYNACK", [3] = "ACK", [4] = "RSTACK" }
local PTYPES = { [0] = "no partition", [1] = "partition requested", [2] = "partition assigned" }
local PFLAGS = { [1] = "new adjacency", [2] = "recovered adjacency" }
local LABEL_TYPES = { [0] = "none", [0x100] = "ATM", [0x101] = "Frame Relay", [0x102] = "MPLS", [0x103] = "FEC" }
local QOS_MODELS = { [0] = "priority", [1] = "QoS profile", [2] = "service", [3] = "optional model" }
local FUNCTIONS = { [1] = "Bring Up", [2] = "Take Down", [3] = "Internal Loopback", [4] = "External Loopback",
                    [5] = "Bothway Loopback", [6] = "Reset Input Port", [7] = "Reset Flags",
                    [8] = "Set Transmit Data Rate" }
local PORT_TYPES = { [1] = "ATM", [2] = "Frame Relay", [3] = "MPLS" }
local PORT_STATUS = { [1] = "Available", [2] = "Unavailable", [3] = "Internal Loopback",
                      [4] = "External Loopback", [5] = "Bothway Loopback" }
local LINE_STATUS = { [1] = "Up", [2] = "Down", [3] = "Test" }
local OFFERED = { [0] = "no", [1] = "on all connections", [2] = "per connection" }
local SERVICES = { [1] = "CBR.1", [2] = "rt-VBR.1", [3] = "rt-VBR.2", [4] = "rt-VBR.3", [5] = "nrt-VBR.1",
                   [6] = "nrt-VBR.2", [7] = "nrt-VBR.3", [8] = "UBR.1", [9] = "UBR.2", [12] = "GFR.1",
                   [13] = "GFR.2", [20] = "Int-Serv controlled load", [25] = "CR-LDP", [30] = "Frame Relay" }
-- Each a 32-bit word, in this order.
local VBR = { "pcr", "cdvt", "scr", "mbs" }
local BLOCKS = {
  [1] = { "pcr", "cdvt" }, [2] = VBR, [3] = VBR, [4] = VBR, [5] = VBR, [6] = VBR, [7] = VBR,
  [8] = { "pcr", "cdvt" }, [9] = { "pcr", "cdvt" },
  [12] = { "pcr", "cdvt", "mcr", "mbs", "mfs" }, [13] = { "pcr", "cdvt", "mcr", "mbs", "mfs" },
  [20] = { "is.rate", "is.bucket", "is.peak", "is.min_unit", "is.max_packet" },
  [25] = { "cr.pdr", "cr.pbs", "cr.cdr", "cr.cbs", "cr.ebs", "cr.weight" },
  [30] = { "fr.cir", "fr.cbs", "fr.ebs" },
}

-- Fields ------------------------------------------------------------------------------------------

local F, fields = {}, {}
local function def(kind, abbr, name, ...)
  F[abbr] = ProtoField[kind]("gsmp." .. abbr, name, ...)
  fields[#fields + 1] = F[abbr]
end
local function numbers(kind, base, list)
  for _, one in ipairs(list) do def(kind, one[1], one[2], base, one[3]) end
end

numbers("uint8", base.DEC, {
  { "version", "Version" }, { "type", "Message Type", TYPES }, { "result", "Result", RESULTS },
  { "code", "Code" }, { "partition", "Partition ID" }, { "adjacencies", "Number of Adjacencies" },
  { "timer", "Timer (100 ms)" }, { "adjacency.code", "Adjacency Code", ADJACENCY_CODES },
  { "ptype", "PType", PTYPES }, { "pflag", "PFlag", PFLAGS }, { "iqs", "Input QoS Model", QOS_MODELS },
  { "oqs", "Output QoS Model", QOS_MODELS }, { "element.error", "Error" }, { "duration", "Duration (s)" },
  { "port_type", "Port Type", PORT_TYPES }, { "port_status", "Port Status", PORT_STATUS },
  { "line_type", "Line Type" }, { "line_status", "Line Status", LINE_STATUS },
  { "priorities", "Priorities" }, { "mtype", "MType" }, { "clr", "CLR (10^-n)" },
  { "frequency", "Frequency" }, { "priority", "Priority" }, { "sr.estimator", "Estimator" },
  { "sr.planes_a", "Planes of A" }, { "sr.planes_b", "Planes of B" }, { "sr.dimension", "Dimension" },
  { "sr.qualitative", "Qualitative Code" }, { "control.u", "Usage Parameter Control", OFFERED },
  { "control.d", "Packet Discard", OFFERED }, { "control.i", "Ingress Shaping", OFFERED },
  { "control.e", "Egress Peak Shaping", OFFERED }, { "control.s", "Egress Sustainable Shaping", OFFERED },
  { "control.v", "VC Merge", OFFERED },
})
numbers("uint16", base.DEC, {
  { "submessage", "SubMessage Number" }, { "length", "Length" }, { "frame.length", "Frame Length" },
  { "label.length", "Label Length" }, { "label.vpi", "VPI" }, { "label.vci", "VCI" },
  { "elements", "Number of Elements" }, { "element.length", "Element Length" },
  { "function", "Function", FUNCTIONS }, { "ranges", "Range Count" }, { "range.length", "Range Length" },
  { "remaining_vpis", "Remaining VPIs" }, { "remaining_vcis", "Remaining VCIs" },
  { "records", "Number of Records" }, { "tc_count", "TC Count" }, { "tc_length", "TC Block Length" },
  { "record.count", "Record Count" }, { "record.length", "Record Length" }, { "window", "Window Size" },
  { "data_length", "Data Fields Length" }, { "slot", "Physical Slot" }, { "physical_port", "Physical Port" },
  { "services", "Number of Services" }, { "service", "Service ID", SERVICES },
  { "capability_sets", "Number of Capability Sets" }, { "capability_set", "Capability Set ID" },
  { "branches", "Number of Branches" }, { "sr.threshold", "Update Threshold (0.01 %)" },
  { "sr.buffer", "Buffer ID" }, { "min_vpi", "Min VPI" }, { "max_vpi", "Max VPI" },
  { "min_vci", "Min VCI" }, { "max_vci", "Max VCI" },
})
numbers("uint16", base.HEX, {
  { "frame.type", "Frame Type" }, { "label.type", "Label Type", LABEL_TYPES },
  { "event_flags", "Event Flags" }, { "flow_flags", "Flow Control Flags" },
  { "attributes", "Port Attribute Flags" }, { "firmware", "Firmware Version" },
  { "switch_type", "Switch Type" }, { "traffic_controls", "Traffic Controls" },
  { "sr.qualitative_mask", "Qualitative Mask" }, { "sr.quantitative_mask", "Quantitative Mask" },
  { "sr.qos_mask", "QoS Mask" }, { "sr.estimator_mask", "Estimator Mask" },
})
numbers("uint32", base.DEC, {
  { "transaction", "Transaction Identifier" }, { "sender_port", "Sender Port" },
  { "receiver_port", "Receiver Port" }, { "reservation", "Reservation ID" }, { "port", "Port" },
  { "input_port", "Input Port" }, { "output_port", "Output Port" }, { "old_output_port", "Old Output Port" },
  { "new_output_port", "New Output Port" }, { "old_input_port", "Old Input Port" },
  { "new_input_port", "New Input Port" }, { "event_sequence", "Event Sequence Number" },
  { "rate", "Transmit Data Rate" }, { "receive_rate", "Receive Data Rate" },
  { "sequence", "Sequence Number" }, { "max_reservations", "Max Reservations" }, { "pcr", "PCR" },
  { "cdvt", "CDVT (us)" }, { "scr", "SCR" }, { "mbs", "MBS" }, { "mcr", "MCR" }, { "mfs", "MFS" },
  { "is.min_unit", "Minimum Policed Unit" }, { "is.max_packet", "Maximum Packet" },
  { "cr.weight", "Weight" }, { "fr.cir", "CIR" }, { "fr.cbs", "CBS" }, { "fr.ebs", "EBS" },
  { "ctd", "CTD (us)" }, { "cdv", "CDV (us)" }, { "input_priority", "Input Priority" },
  { "output_priority", "Output Priority" }, { "sr.classes", "Traffic Classes" },
  { "sr.a", "Coefficient of A" }, { "sr.b", "Coefficient of B" }, { "sr.parameter", "Parameter" },
  { "label.dlci", "DLCI" }, { "label.mpls", "MPLS Label" }, { "remaining", "Remaining Labels" },
})
numbers("uint32", base.HEX, {
  { "sender_instance", "Sender Instance" }, { "receiver_instance", "Receiver Instance" },
  { "session", "Port Session Number" }, { "input_selector", "Input Service Selector" },
  { "output_selector", "Output Service Selector" }, { "adaptation", "Adaptation" },
  { "word", "Traffic Parameter" },
})
for _, one in ipairs({ { "is.rate", "Token Rate" }, { "is.bucket", "Bucket" }, { "is.peak", "Peak Rate" },
                       { "cr.pdr", "PDR" }, { "cr.pbs", "PBS" }, { "cr.cdr", "CDR" }, { "cr.cbs", "CBS" },
                       { "cr.ebs", "EBS" } }) do
  def("float", one[1], one[2])
end
local COUNTERS = {
  { "input_cells", "Input Cells" }, { "input_frames", "Input Frames" },
  { "input_cell_discards", "Input Cell Discards" }, { "input_frame_discards", "Input Frame Discards" },
  { "hec_errors", "Header Checksum Errors" }, { "invalid_labels", "Invalid Labels" },
  { "output_cells", "Output Cells" }, { "output_frames", "Output Frames" },
  { "output_cell_discards", "Output Cell Discards" }, { "output_frame_discards", "Output Frame Discards" },
}
numbers("uint64", base.DEC, COUNTERS)
numbers("uint64", base.DEC, { { "traffic_count", "Traffic Count" } })
for _, one in ipairs({
  { "i", "I" }, { "m", "M (master)" }, { "p_shared", "P (one traffic block for both)" },
  { "n", "N (no adaptation)" }, { "o", "O (opaque adaptation)" }, { "to_multipoint", "M (to multipoint)" },
  { "from_multipoint", "M (from multipoint)" }, { "bidirectional", "B (bidirectional)" },
  { "replace", "R (replace)" }, { "label.stacked", "S (another label follows)" }, { "tc.u", "U (policing)" },
  { "tc.d", "D (packet discard)" }, { "tc.i", "I (ingress shaping)" }, { "tc.e", "E (egress peak shaping)" },
  { "tc.s", "S (egress sustainable shaping)" }, { "tc.v", "V (VC merge)" }, { "tc.p", "P (of the ingress port)" },
  { "query", "Q (query)" }, { "multipoint", "M (multipoint)" }, { "disjoint", "D (disjoint)" },
  { "range.v", "V (of VPIs)" }, { "range.c", "C" }, { "activity.v", "V (valid)" },
  { "activity.c", "C (activity instead of count)" }, { "activity.a", "A (active)" },
  { "all", "A (all of the port)" }, { "all_vpi", "V (all of the VPI)" }, { "vpc", "P (virtual path)" },
  { "service_data", "S (service data present)" }, { "attr.p", "P (VP switching)" },
  { "attr.m", "M (different multicast labels)" }, { "attr.l", "L (logical multicast)" },
  { "attr.r", "R (Label Range supported)" }, { "attr.q", "Q (QoS messages)" }, { "sr.all_ports", "A (all ports)" },
}) do
  def("bool", one[1], one[2])
end
for _, one in ipairs({
  { "code.name", "Code" }, { "message", "Message" }, { "label", "Label" }, { "input_label", "Input Label" },
  { "output_label", "Output Label" }, { "old_output_label", "Old Output Label" },
  { "new_output_label", "New Output Label" }, { "old_input_label", "Old Input Label" },
  { "new_input_label", "New Input Label" }, { "min_label", "Min Label" }, { "max_label", "Max Label" },
}) do
  def("string", one[1], one[2])
end
def("ether", "sender_name", "Sender Name")
def("ether", "receiver_name", "Receiver Name")
def("ether", "switch_name", "Switch Name")
def("bytes", "body", "Body")
def("bytes", "label.value", "Label Value")
def("bytes", "more_octets", "Additional Data")
def("bytes", "trailer", "Beyond the Message")
def("framenum", "response_to", "Response to", base.NONE, frametype.RESPONSE)
gsmp.fields = fields

local bad_stream = ProtoExpert.new("gsmp.bad_stream", "No frame begins here", expert.group.PROTOCOL,
                                   expert.severity.ERROR)
local truncated = ProtoExpert.new("gsmp.truncated", "The message ends before its fields do",
                                  expert.group.PROTOCOL, expert.severity.ERROR)
local failed = ProtoExpert.new("gsmp.failed", "Failure response", expert.group.RESPONSE_CODE,
                               expert.severity.NOTE)
gsmp.experts = { bad_stream, truncated, failed }

-- A cursor over a message. A read beyond the end stops the dissection of this message. ------------

local TRUNCATED = {}
local Cursor = {}
Cursor.__index = Cursor

local function cursor(tvb, from, to, tree)
  return setmetatable({ tvb = tvb, pos = from, limit = to, tree = tree }, Cursor)
end
function Cursor:left() return self.limit - self.pos end
function Cursor:peek(ahead, octets)
  if self.pos + ahead + octets > self.limit then error(TRUNCATED) end
  return self.tvb(self.pos + ahead, octets)
end
function Cursor:take(octets)
  local range = self:peek(0, octets)
  self.pos = self.pos + octets
  return range
end
function Cursor:skip(octets) self:take(octets) end
-- Adds the next octets as this field. Returns their value if it has at most 4 octets.
function Cursor:add(abbr, octets)
  local range = self:take(octets)
  self.tree:add(F[abbr], range)
  if octets <= 4 then return range:uint() end
end
-- Bits of octets ahead; the position stays.
function Cursor:bits(abbr, ahead, octets, first, count)
  local range = self:peek(ahead, octets)
  local value = range:bitfield(first, count)
  self.tree:add(F[abbr], range, value)
  return value
end
function Cursor:flag(abbr, ahead, octets, bit)
  local range = self:peek(ahead, octets)
  local value = range:bitfield(bit, 1) == 1
  self.tree:add(F[abbr], range, value)
  return value
end
-- The same octets, with their own branch of the tree.
function Cursor:under(tree) return cursor(self.tvb, self.pos, self.limit, tree) end

-- Labels (RFC 3292 section 3.1.2) -----------------------------------------------------------------

-- The text of one label of a stack, without its flags.
local function label_text(c, kind, length)
  if kind == 0 and length == 0 then return "none" end
  if length == 4 then
    local value = c:peek(4, 4)
    if kind == 0x100 then return value:bitfield(4, 12) .. "/" .. value:bitfield(16, 16) end
    if kind == 0x101 then return "dlci " .. value:bitfield(9, 23) end
    if kind == 0x102 then return "mpls " .. value:bitfield(12, 20) end
  end
  return (LABEL_TYPES[kind] or ("type " .. kind)) .. " of " .. length .. " octets"
end

-- Length of the next label with its header. A label of type 0 and length 0 still has 8 octets.
local function label_octets(c)
  local length = c:peek(2, 2):uint()
  return 4 + math.max(length, 4), length
end

-- `flags`: names of the two lowest bits of the first nibble, false where it has no meaning here.
local function label(c, role, flags)
  local texts, first = {}, c.pos
  local ahead = c:under(c.tree)
  repeat
    local octets, length = label_octets(ahead)
    local stacked = ahead:peek(0, 1):bitfield(1, 1) == 1
    texts[#texts + 1] = label_text(ahead, ahead:peek(0, 2):bitfield(4, 12), length)
    ahead:skip(octets)
  until not stacked
  local text = table.concat(texts, " > ")

  local inner = c:under(c.tree:add(F[role], c.tvb(first, ahead.pos - first), text))
  for bit = 1, 2 do
    if flags and flags[bit] then inner:flag(flags[bit], 0, 2, bit + 1) end
  end
  while inner.pos < ahead.pos do
    local octets, length = label_octets(inner)
    inner:flag("label.stacked", 0, 2, 1)
    local kind = inner:bits("label.type", 0, 2, 4, 12)
    inner:skip(2)
    inner:add("label.length", 2)
    if kind == 0x100 and length == 4 then
      inner:bits("label.vpi", 0, 4, 4, 12)
      inner:bits("label.vci", 0, 4, 16, 16)
    elseif kind == 0x101 and length == 4 then
      inner:bits("label.dlci", 0, 4, 9, 23)
    elseif kind == 0x102 and length == 4 then
      inner:bits("label.mpls", 0, 4, 12, 20)
    elseif length > 0 then
      inner.tree:add(F["label.value"], inner:peek(0, length))
    end
    inner:skip(octets - 4)
  end
  c.pos = ahead.pos
  return text
end

-- QoS (RFC 3292 sections 4.1 and 10) --------------------------------------------------------------

local function selector(c, abbr, model, side)
  if model == 2 then
    c:bits("service", 0, 4, 0, 16)
    c:bits("capability_set", 0, 4, 16, 16)
  elseif model == 0 then
    c:bits(side .. "_priority", 0, 4, 0, 32)
  end
  c:add(abbr, 4)
end

-- The four octets from IQS on; they follow the selectors that they explain.
local function qos_ahead(c, ahead)
  local octet = c:peek(ahead, 1)
  return { iqs = octet:bitfield(0, 2), oqs = octet:bitfield(2, 2), shared = octet:bitfield(4, 1) == 1 }
end
local function qos_flags(c)
  c:bits("iqs", 0, 1, 0, 2)
  c:bits("oqs", 0, 1, 2, 2)
  c:flag("p_shared", 0, 1, 4)
  c:flag("n", 0, 1, 6)
  c:flag("o", 0, 1, 7)
  c:bits("adaptation", 0, 4, 8, 24)
  c:skip(4)
end

local function traffic_block(c, service, side)
  local branch = c.tree:add(gsmp, c:peek(0, 4), "Traffic parameters, " .. side)
  local inner = c:under(branch)
  for bit, name in ipairs({ "u", "d", "i", "e", "s", "v", "p" }) do inner:flag("tc." .. name, 0, 1, bit - 1) end
  inner:skip(4)
  for _, name in ipairs(BLOCKS[service] or {}) do
    local plain = name:find("%.") or not BLOCKS[service]
    if plain and name ~= "cr.weight" then
      inner:add(name, 4)
    elseif name == "cr.weight" then
      inner:bits(name, 0, 4, 24, 8)
      inner:skip(4)
    else
      inner:bits(name, 0, 4, 8, 24)
      inner:skip(4)
    end
  end
  if not BLOCKS[service] then
    while inner:left() >= 4 do inner:add("word", 4) end
  end
  c.pos = inner.pos
end

-- Follows the labels of a connection message if a side uses the service model.
local function traffic(c, qos, input_service, output_service)
  if c:left() < 4 or (qos.iqs ~= 2 and qos.oqs ~= 2) then return end
  if qos.shared then
    traffic_block(c, qos.iqs == 2 and input_service or output_service, "both directions")
    return
  end
  local of_input = c:peek(0, 1):bitfield(6, 1) == 1
  if qos.iqs == 2 and (of_input or qos.oqs ~= 2) then traffic_block(c, input_service, "input") end
  if qos.oqs == 2 and c:left() >= 4 then traffic_block(c, output_service, "output") end
end

-- Connections (RFC 3292 sections 4 and 5) ---------------------------------------------------------

-- 16, 18, 20, 21, 26, 70
local function general_connection(c, m)
  c:add("session", 4)
  c:add("reservation", 4)
  local qos = qos_ahead(c, 16)
  local input_service, output_service = c:peek(4, 2):uint(), c:peek(12, 2):uint()
  c:add("input_port", 4)
  selector(c, "input_selector", qos.iqs, "input")
  c:add("output_port", 4)
  selector(c, "output_selector", qos.oqs, "output")
  qos_flags(c)
  local input = label(c, "input_label", { "to_multipoint", m.type ~= 70 and "bidirectional" })
  local output = label(c, "output_label", { "from_multipoint", m.type ~= 70 and "replace" })
  traffic(c, qos, input_service, output_service)
  if input ~= "none" then m.summary = input .. (output ~= "none" and " -> " .. output or "") end
end

-- 17
local function delete_branches(c)
  c:skip(2)
  local count = c:add("elements", 2)
  for number = 1, count do
    local branch = c.tree:add(gsmp, c:peek(0, 4), "Element " .. number)
    local inner = c:under(branch)
    inner:bits("element.error", 0, 1, 0, 4)
    inner:skip(2)
    inner:add("element.length", 2)
    inner:add("session", 4)
    inner:add("input_port", 4)
    inner:add("output_port", 4)
    label(inner, "input_label")
    label(inner, "output_label")
    c.pos = inner.pos
  end
end

-- 22, 27
local function move_output(c)
  c:add("session", 4)
  local qos = qos_ahead(c, 20)
  local input_service, output_service = c:peek(4, 2):uint(), c:peek(16, 2):uint()
  c:add("input_port", 4)
  selector(c, "input_selector", qos.iqs, "input")
  c:add("old_output_port", 4)
  c:add("new_output_port", 4)
  selector(c, "output_selector", qos.oqs, "output")
  qos_flags(c)
  label(c, "input_label")
  label(c, "old_output_label")
  label(c, "new_output_label")
  traffic(c, qos, input_service, output_service)
end

-- 23, 28
local function move_input(c)
  c:add("session", 4)
  local qos = qos_ahead(c, 20)
  local input_service, output_service = c:peek(4, 2):uint(), c:peek(16, 2):uint()
  c:add("output_port", 4)
  selector(c, "input_selector", qos.iqs, "input")
  c:add("old_input_port", 4)
  c:add("new_input_port", 4)
  selector(c, "output_selector", qos.oqs, "output")
  qos_flags(c)
  label(c, "output_label")
  label(c, "old_input_label")
  label(c, "new_input_label")
  traffic(c, qos, input_service, output_service)
end

local function delete_reservation(c)
  c:add("session", 4)
  c:add("reservation", 4)
end

-- Ports (RFC 3292 section 6) ----------------------------------------------------------------------

local function port_management(c, m)
  c:add("port", 4)
  c:add("session", 4)
  c:add("event_sequence", 4)
  c:flag("replace", 0, 1, 0)
  c:skip(1)
  c:add("duration", 1)
  m.summary = FUNCTIONS[c:add("function", 2)]
  c:add("event_flags", 2)
  c:add("flow_flags", 2)
  c:add("rate", 4)
end

local function label_range(c)
  c:add("port", 4)
  c:add("session", 4)
  c:flag("query", 0, 1, 0)
  c:flag("multipoint", 0, 1, 1)
  c:flag("disjoint", 0, 1, 2)
  local count = c:bits("ranges", 0, 2, 4, 12)
  c:skip(2)
  c:add("range.length", 2)
  for _ = 1, count do
    local kind = c:peek(0, 2):bitfield(4, 12)
    label(c, "min_label", { "range.v", "range.c" })
    label(c, "max_label")
    if kind == 0x100 then
      c:add("remaining_vpis", 2)
      c:add("remaining_vcis", 2)
    else
      c:add("remaining", 4)
    end
  end
end

-- State and statistics (RFC 3292 section 7) -------------------------------------------------------

local function connection_activity(c)
  local count = c:add("records", 2)
  c:skip(2)
  for number = 1, count do
    local inner = c:under(c.tree:add(gsmp, c:peek(0, 4), "Record " .. number))
    inner:flag("activity.v", 0, 1, 0)
    inner:flag("activity.c", 0, 1, 1)
    inner:flag("activity.a", 0, 1, 2)
    local counts = inner:bits("tc_count", 0, 2, 4, 12)
    inner:skip(2)
    inner:add("tc_length", 2)
    inner:add("input_port", 4)
    for _ = 1, math.max(counts, 1) do inner:add("traffic_count", 8) end
    label(inner, "input_label")
    c.pos = inner.pos
  end
end

local function statistics(c, m)
  c:add("port", 4)
  label(c, "label")
  if not m.success then return end
  for _, counter in ipairs(COUNTERS) do c:add(counter[1], 8) end
end

local function report(c, m)
  c:add("input_port", 4)
  if not m.success then
    c:flag("all", 0, 1, 2)
    c:flag("all_vpi", 0, 1, 3)
    label(c, "input_label")
    return
  end
  c:add("sequence", 4)
  local number = 0
  while c:left() >= 12 do
    number = number + 1
    local inner = c:under(c.tree:add(gsmp, c:peek(0, 12), "Record " .. number))
    inner:flag("all", 0, 1, 0)
    inner:flag("all_vpi", 0, 1, 1)
    inner:flag("vpc", 0, 1, 2)
    inner:bits("record.count", 0, 4, 3, 11)
    inner:skip(2)
    local length = inner:add("record.length", 2)
    label(inner, "input_label")
    local last = inner.pos + length
    while inner.pos < last do
      inner:add("output_port", 4)
      label(inner, "output_label")
    end
    c.pos = inner.pos
  end
end

-- Configuration (RFC 3292 section 8) --------------------------------------------------------------

local function switch_configuration(c)
  for _ = 1, 4 do c:add("mtype", 1) end
  c:add("firmware", 2)
  c:add("window", 2)
  c:add("switch_type", 2)
  c:add("switch_name", 6)
  c:add("max_reservations", 4)
end

local function port_record(c)
  c:add("port", 4)
  c:add("session", 4)
  c:add("event_sequence", 4)
  c:add("event_flags", 2)
  c:add("attributes", 2)
  local kind = c:add("port_type", 1)
  local has_services = c:flag("service_data", 0, 1, 0)
  c:skip(1)
  local last = c:add("data_length", 2) + c.pos
  if kind == 1 or kind == 3 then
    for bit, name in ipairs({ "p", "m", "l", "r", "q" }) do
      if kind == 1 or name ~= "p" then c:flag("attr." .. name, 0, 1, bit - 1) end
    end
    local ranges = c:bits("ranges", 0, 2, 5, 11)
    c:skip(2)
    c:add("range.length", 2)
    for _ = 1, ranges do
      label(c, "min_label")
      label(c, "max_label")
    end
    c:add("receive_rate", 4)
    c:add("rate", 4)
    c:add("port_status", 1)
    c:add("line_type", 1)
    c:add("line_status", 1)
    c:add("priorities", 1)
    c:add("slot", 2)
    c:add("physical_port", 2)
    if has_services then
      c:skip(2)
      for _ = 1, c:add("services", 2) do
        c:add("service", 2)
        c:add("capability_set", 2)
      end
    end
  end
  if c.pos < last then c:add("body", last - c.pos) end
end

local function port_configuration(c, m)
  if m.success then port_record(c) else c:add("port", 4) end
end

local function all_ports(c, m)
  if not m.success then
    if c:left() >= 4 then c:add("port", 4) end
    return
  end
  c:skip(2)
  c:add("records", 2)  -- of all parts in total: this part is read to its end
  while c:left() >= 20 do
    local inner = c:under(c.tree:add(gsmp, c:peek(0, 4), "Port " .. c:peek(0, 4):uint()))
    port_record(inner)
    c.pos = inner.pos
  end
end

local function service_configuration(c, m)
  if not m.success then return end
  c:skip(2)
  for _ = 1, c:add("records", 2) do
    local inner = c:under(c.tree:add(gsmp, c:peek(0, 4), "Service"))
    inner:add("service", 2)
    for _ = 1, inner:add("capability_sets", 2) do
      inner:add("capability_set", 2)
      for place, name in ipairs({ "u", "d", "i", "e", "s", "v" }) do
        inner:bits("control." .. name, 0, 2, 2 * (place - 1), 2)
      end
      inner:add("traffic_controls", 2)
      inner:add("clr", 1)
      inner:add("ctd", 3)
      inner:add("frequency", 1)
      inner:add("cdv", 3)
    end
    c.pos = inner.pos
  end
end

-- Events (RFC 3292 section 9) ---------------------------------------------------------------------

local function event(c, m)
  m.summary = "port " .. c:add("port", 4)
  c:add("session", 4)
  c:add("event_sequence", 4)
  label(c, "label")
end

-- The schedulable region (draft-adam-gsmp-sr-00) --------------------------------------------------

local function ones(mask)
  local count = 0
  while mask > 0 do
    count = count + mask % 2
    mask = math.floor(mask / 2)
  end
  return count
end

local function sr_support(c, m)
  if not m.success then return end
  c:bits("sr.estimator", 0, 1, 0, 4)
  c:skip(2)
  c:add("sr.qualitative_mask", 2)
  c:add("sr.quantitative_mask", 2)
  c:add("sr.qos_mask", 2)
end
local function sr_classes(c)
  c:add("port", 4)
  c:add("session", 4)
  if c:left() < 4 then return end
  c:flag("sr.all_ports", 0, 1, 0)
  local classes = c:bits("sr.classes", 0, 4, 28, 4)
  c:skip(4)
  for _ = 1, classes do
    if c:left() < 8 then return end
    c:bits("sr.buffer", 0, 2, 0, 11)
    c:bits("sr.qualitative", 0, 2, 11, 5)
    c:skip(2)
    local quantitative = c:add("sr.quantitative_mask", 2)
    local qos = c:add("sr.qos_mask", 2)
    c:skip(2)
    for _ = 1, ones(quantitative) + ones(qos) do c:add("sr.parameter", 4) end
  end
end
local function sr_policy_support(c, m)
  if not m.success then return end
  c:add("sr.estimator_mask", 2)
  c:skip(2)
end
local function sr_policy(c)
  c:add("port", 4)
  c:add("session", 4)
  if c:left() < 4 then return end
  c:flag("sr.all_ports", 0, 1, 0)
  c:bits("sr.estimator", 0, 4, 12, 4)
  c:bits("sr.threshold", 0, 4, 20, 12)
  c:skip(4)
  while c:left() >= 4 do c:add("sr.parameter", 4) end
end
local function sr_region(c)
  c:add("port", 4)
  c:add("session", 4)
  if c:left() < 4 then return end
  local dimension = c:bits("sr.dimension", 0, 4, 12, 4)
  local a, b = c:bits("sr.planes_a", 0, 4, 16, 8), c:bits("sr.planes_b", 0, 4, 24, 8)
  c:skip(4)
  if c:left() < 4 then return end
  for _ = 1, a * dimension do c:add("sr.a", 4) end
  for _ = 1, b * dimension do c:add("sr.b", 4) end
end

local function nothing() end

local BODIES = {
  [16] = general_connection, [17] = delete_branches, [18] = general_connection, [20] = general_connection,
  [21] = general_connection, [22] = move_output, [23] = move_input, [26] = general_connection,
  [27] = move_output, [28] = move_input, [32] = port_management, [33] = label_range,
  [48] = connection_activity, [49] = statistics, [50] = statistics, [52] = report,
  [64] = switch_configuration, [65] = port_configuration, [66] = all_ports, [67] = service_configuration,
  [70] = general_connection, [71] = delete_reservation, [72] = nothing, [80] = event, [81] = event,
  [82] = event, [83] = event, [84] = event, [85] = event, [220] = sr_support, [221] = sr_classes,
  [222] = sr_classes, [223] = sr_policy_support, [224] = sr_policy, [225] = sr_policy,
  [226] = sr_region, [227] = sr_region,
}

-- Version 1.1 (RFC 1987): no labels, a word with VPI and VCI --------------------------------------

local function v1_label(c, role)
  local range = c:take(4)
  local text = range:bitfield(4, 12) .. "/" .. range:bitfield(16, 16)
  local branch = c.tree:add(F[role], range, text)
  branch:add(F["label.vpi"], range, range:bitfield(4, 12))
  branch:add(F["label.vci"], range, range:bitfield(16, 16))
  return text
end
local function v1_connection(c, m)
  c:add("session", 4)
  c:add("input_port", 4)
  local input = v1_label(c, "input_label")
  c:add("output_port", 4)
  m.summary = input .. " -> " .. v1_label(c, "output_label")
  c:add("branches", 2)
  c:skip(1)
  c:add("priority", 1)
end
local function v1_move(c)
  c:add("session", 4)
  c:add("input_port", 4)
  v1_label(c, "input_label")
  c:add("old_output_port", 4)
  v1_label(c, "old_output_label")
  c:add("new_output_port", 4)
  v1_label(c, "new_output_label")
  c:skip(3)
  c:add("priority", 1)
end
local function v1_port_management(c, m)
  c:add("port", 4)
  c:add("session", 4)
  c:add("event_sequence", 4)
  c:bits("event_flags", 0, 1, 0, 8)
  c:skip(1)
  c:add("duration", 1)
  m.summary = FUNCTIONS[c:add("function", 2)]
end
local function v1_activity(c)
  local count = c:add("records", 2)
  c:skip(2)
  for _ = 1, count do
    c:add("input_port", 4)
    c:flag("activity.v", 0, 1, 0)
    c:flag("activity.c", 0, 1, 1)
    c:flag("activity.a", 0, 1, 2)
    v1_label(c, "input_label")
    c:add("traffic_count", 8)
  end
end
local function v1_statistics(c, m)
  c:add("port", 4)
  v1_label(c, "label")
  if not m.success then return end
  for _, counter in ipairs(COUNTERS) do c:add(counter[1], 8) end
end
local function v1_switch(c, m)
  if not m.success then return c:add("port", 4) end
  c:add("firmware", 2)
  c:skip(2)
  c:add("switch_type", 2)
  c:add("switch_name", 6)
end
local function v1_port_record(c)
  c:add("port", 4)
  c:add("session", 4)
  c:bits("min_vpi", 0, 2, 4, 12)
  c:skip(2)
  c:bits("max_vpi", 0, 2, 4, 12)
  c:skip(2)
  c:add("min_vci", 2)
  c:add("max_vci", 2)
  c:add("rate", 4)
  c:add("port_status", 1)
  c:add("line_type", 1)
  c:add("line_status", 1)
  c:add("priorities", 1)
end
local function v1_port(c, m)
  if m.success then v1_port_record(c) else c:add("port", 4) end
end
local function v1_all_ports(c, m)
  if not m.success then return c:add("port", 4) end
  local count = c:add("records", 2)
  c:add("record.length", 2)
  for _ = 1, count do v1_port_record(c) end
end
local function v1_event(c, m)
  m.summary = "port " .. c:add("port", 4)
  c:add("session", 4)
  c:add("event_sequence", 4)
  v1_label(c, "label")
end

local V1_BODIES = {
  [16] = v1_connection, [17] = v1_connection, [18] = v1_connection, [19] = v1_connection,
  [20] = v1_connection, [22] = v1_move, [32] = v1_port_management, [48] = v1_activity,
  [49] = v1_statistics, [50] = v1_statistics, [64] = v1_switch, [65] = v1_port, [66] = v1_all_ports,
  [80] = v1_event, [81] = v1_event, [82] = v1_event, [83] = v1_event, [84] = v1_event,
}

-- Messages ----------------------------------------------------------------------------------------

local function adjacency(c, m)
  if m.version == 1 then
    c:add("result", 1)
  else
    c:add("timer", 1)
    c:flag("m", 0, 1, 0)
  end
  m.summary = ADJACENCY_CODES[c:bits("adjacency.code", 0, 1, 1, 7)] or "unknown code"
  c:skip(1)
  c:add("sender_name", 6)
  c:add("receiver_name", 6)
  c:add("sender_port", 4)
  c:add("receiver_port", 4)
  if m.version == 3 then
    c:bits("ptype", 0, 1, 0, 4)
    c:bits("pflag", 0, 1, 4, 4)
    c:skip(1)
    c:add("sender_instance", 3)
    c:add("partition", 1)
    c:add("receiver_instance", 3)
  else
    c:add("sender_instance", 4)
    c:add("receiver_instance", 4)
  end
end

-- The common beginning of both headers: octets 2 and 3.
local function result_and_code(c, m)
  m.result = c:add("result", 1)
  m.success = m.result == 3 or m.result == 5
  local range = c:take(1)
  m.code = range:uint()
  if m.version == 3 and m.type == 85 then
    c.tree:add(F["adjacencies"], range)
  else
    c.tree:add(F["code"], range)
    m.code_name = (m.version == 1 and V1_CODES or CODES)[m.code] or ("code " .. m.code)
    c.tree:add(F["code.name"], range, m.code_name)
    if m.result == 4 then c.tree:add_proto_expert_info(failed, m.code_name) end
  end
end

local requests = {}  -- frame numbers by connection, type and transaction

local function match(m, pinfo, tree)
  local up = tostring(pinfo.src) .. " " .. pinfo.src_port .. " " .. tostring(pinfo.dst) .. " " .. pinfo.dst_port
  local down = tostring(pinfo.dst) .. " " .. pinfo.dst_port .. " " .. tostring(pinfo.src) .. " " .. pinfo.src_port
  local key = " " .. m.type .. " " .. m.transaction
  if m.result == 1 or m.result == 2 then
    if not pinfo.visited then requests[up .. key] = pinfo.number end
  elseif m.result == 3 or m.result == 4 or m.result == 5 then
    m.asked = m.asked or requests[down .. key]
    if m.asked and m.asked <= pinfo.number then tree:add(F["response_to"], m.asked):set_generated() end
  end
end

local function dissect_body(c, m, bodies, pinfo)
  if m.type == ADJACENCY then
    adjacency(c, m)
    if c:left() > 0 then c:add("more_octets", c:left()) end
    return
  end
  if m.version ~= 3 and m.version ~= 1 then
    if c:left() > 0 then c:add("body", c:left()) end
    return
  end
  result_and_code(c, m)
  if m.version == 3 then
    c:add("partition", 1)
    m.transaction = c:add("transaction", 3)
    c:flag("i", 0, 2, 0)
    c:bits("submessage", 0, 2, 1, 15)
    c:skip(2)
    local length = c:add("length", 2)
    local beyond = c.limit - (m.start + length)
    if beyond > 0 and length >= 12 then
      c.tree:add(F["trailer"], c.tvb(c.limit - beyond, beyond))
      c.limit = c.limit - beyond
    end
  else
    m.transaction = c:add("transaction", 4)
  end
  match(m, pinfo, c.tree)
  local body = bodies[m.type]
  if body then
    body(c, m)
    if c:left() > 0 then c:add("more_octets", c:left()) end
  elseif c:left() > 0 then
    c:add("body", c:left())
  end
end

local function info(m)
  local name = (m.version == 1 and V1_TYPES[m.type]) or TYPES[m.type] or ("Type " .. m.type)
  if m.type == ADJACENCY then return name .. " " .. (m.summary or "") end
  if not m.result then return name .. ", version " .. m.version end
  local text = name .. " " .. (KINDS[m.result] or ("result " .. m.result))
  if m.result == 4 or (m.result == 3 and m.code ~= 0) then text = text .. ": " .. (m.code_name or m.code) end
  if m.summary then text = text .. ", " .. m.summary end
  if m.transaction and m.transaction ~= 0 then text = text .. ", tid " .. m.transaction end
  return text
end

-- Dissects one complete frame. Returns its text for the info column.
local function dissect_frame(tvb, offset, octets, pinfo, root)
  local tree = root:add(gsmp, tvb(offset, octets))
  tree:add(F["frame.type"], tvb(offset, 2))
  tree:add(F["frame.length"], tvb(offset + 2, 2))
  local m = { start = offset + FRAME_HEADER, version = 0, type = 0 }
  local c = cursor(tvb, m.start, offset + octets, tree)
  local done, why = pcall(function()
    m.version = c:add("version", 1)
    m.type = c:add("type", 1)
    dissect_body(c, m, m.version == 1 and V1_BODIES or BODIES, pinfo)
  end)
  if not done then
    if why ~= TRUNCATED then error(why) end
    tree:add_proto_expert_info(truncated)
  end
  local text = info(m)
  tree:add(F["message"], tvb(m.start, octets - FRAME_HEADER), text):set_generated()
  tree:set_text("GSMP version " .. m.version .. ": " .. text)
  return text
end

function gsmp.init() requests = {} end

function gsmp.dissector(tvb, pinfo, root)
  local offset, texts = 0, {}
  while offset < tvb:len() do
    local left = tvb:len() - offset
    if left >= 2 and tvb(offset, 2):uint() ~= FRAME_TYPE then
      if offset == 0 then return 0 end  -- not ours
      root:add(gsmp, tvb(offset)):add_proto_expert_info(bad_stream)
      break
    end
    local octets = left >= FRAME_HEADER and FRAME_HEADER + tvb(offset + 2, 2):uint() or nil
    if not octets or octets > left then
      pinfo.desegment_offset = offset
      pinfo.desegment_len = octets and octets - left or DESEGMENT_ONE_MORE_SEGMENT
      break
    end
    texts[#texts + 1] = dissect_frame(tvb, offset, octets, pinfo, root)
    offset = offset + octets
  end
  if #texts > 0 then
    pinfo.cols.protocol = "GSMP"
    pinfo.cols.info = table.concat(texts, "; ")
  end
  return tvb:len()
end

-- The port, also when it is changed in the preferences --------------------------------------------

local listening
local function listen()
  local ports = DissectorTable.get("tcp.port")
  if listening then ports:remove(listening, gsmp) end
  listening = gsmp.prefs.port
  ports:add(listening, gsmp)
end
gsmp.prefs_changed = listen
listen()
