"""omniidl back end: a Wireshark plug-in for OpenXbind's contracts, written by Wireshark's idl2wrs.

build-giop runs it (omniidl -b giop_back_end). It uses the generator of idl2wrs and corrects what
version 4.0.17 (Debian 12) gets wrong. Each override says what the generator does without it.
"""

import sys

from omniidl import idlast, idltype, output
from wireshark_be import WiresharkVisitor
from wireshark_gen import wireshark_gen_C

PROTOCOL = "xbind"  # prefix of every display filter

# Wireshark looks up a GIOP operation by its name alone. The name service has operations of these
# names; a message counts as ours only if it fits our operation to its last octet.
NAME_SERVICE = {"bind", "rebind", "bind_context", "rebind_context", "resolve", "unbind",
                "new_context", "bind_new_context", "destroy", "list", "next_one", "next_n"}

# What a shared object exports to be loaded as a plug-in: idl2wrs only writes built-in dissectors.
PLUGIN = """
#include <ws_version.h>
#include <ws_symbol_export.h>

WS_DLL_PUBLIC_DEF const gchar plugin_version[] = "2";
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;
WS_DLL_PUBLIC void plugin_register(void);

void plugin_register(void)
{
    static proto_plugin plugin;
    plugin.register_protoinfo = proto_register_giop_xbind;
    plugin.register_handoff = proto_reg_handoff_giop_xbind;
    proto_register_plugin(&plugin);
}
"""

# Decodes a message without showing it: true if its last octet is the operation's last octet.
READS_WHOLE = """
typedef void decoder(tvbuff_t *, packet_info *, proto_tree *, proto_item *, int *,
                     MessageHeader *, const gchar *, gboolean);

static gboolean
reads_whole(decoder *decode, tvbuff_t *tvb, packet_info *pinfo, int offset, MessageHeader *header,
            const gchar *operation, gboolean stream_is_big_endian)
{
    volatile gboolean whole = FALSE;
    TRY {
        int at = offset;
        decode(tvb, pinfo, NULL, NULL, &at, header, operation, stream_is_big_endian);
        whole = tvb_reported_length_remaining(tvb, at) == 0;
    }
    CATCH_BOUNDS_ERRORS {
    }
    ENDTRY;
    return whole;
}
"""

DECODE_OPERATION = """\
item = process_RequestOperation(tvb, pinfo, ptree, header, operation);
tree = start_dissecting(tvb, pinfo, ptree, offset);
decode_@name@(tvb, pinfo, tree, item, offset, header, operation, stream_is_big_endian);
if (tvb_reported_length_remaining(tvb, *offset) > 0)
    expert_add_info(pinfo, item, &ei_xbind_left_over);
return TRUE;"""

# A discriminator: the kind of its field, the call that reads it, its octets.
DISCRIMINATORS = {
    idltype.tk_enum: ("uint", "get_CDR_enum(tvb, offset, stream_is_big_endian, boundary)", 4),
    idltype.tk_boolean: ("boolean", "get_CDR_boolean(tvb, offset)", 1),
}


class Declarations(WiresharkVisitor):
    """The declarations that idl2wrs collects, and the typedefs of octet with named constants."""

    def __init__(self, stream):
        super().__init__(stream)
        self.named_octets = {}  # typedef's name in C -> [(value, name)]

    def visitModule(self, node):
        super().visitModule(node)
        for one in node.definitions():
            if isinstance(one, idlast.Const) and is_octet_typedef(one.constType()):
                values = self.named_octets.setdefault(c_name(one.constType().decl()), [])
                values.append((one.value(), one.identifier()))


class Generator(wireshark_gen_C):
    """The generator of idl2wrs, corrected."""

    def __init__(self, stream, named_octets):
        super().__init__(stream, PROTOCOL.upper(), PROTOCOL, "OpenXbind")
        self.named_octets = named_octets

    # Unions. The generator declares a member's field once for each case label, which C refuses.

    def genUnionDeclares(self, un):
        self.st.out(self.template_hf, name=field(un, un.identifier()))
        for case in un.cases():
            kind = case.caseType().unalias()
            name = field(un, case.declarator().identifier())
            if kind.kind() == idltype.tk_sequence:
                self.st.out(self.template_hf, name=name + "_loop")
                kind = kind.seqType()
            if self.isSeqNativeType(kind):
                self.st.out(self.template_hf, name=name)

    # The generator keeps the discriminator of enums only. Its code for other unions that have
    # structs as members does not compile.

    def genUnionHelper(self, un):
        name = c_name(un)
        self.curr_sname = name
        if not self.fn_hash_built:
            self.fn_hash[name] = []
        discriminator = un.switchType().unalias().kind()
        if discriminator not in DISCRIMINATORS:
            raise SystemExit(f"{un.file()}:{un.line()}: union {un.identifier()} switches on a type "
                             "that giop_back_end.py does not support; add it to DISCRIMINATORS")
        kind, reading, octets = DISCRIMINATORS[discriminator]

        self.st.out(self.template_union_helper_function_start_with_item, sname=name,
                    unname=un.repoId())
        self.st.inc_indent()
        self.dumpCvars(name)
        self.st.out("const guint32 chosen = @reading@;", reading=reading)
        self.st.out("proto_tree_add_@kind@(tree, hf_@name@, tvb, *offset - @size@, @size@,"
                    " chosen);", kind=kind, name=field(un, un.identifier()), size=str(octets))
        self.st.out("switch (chosen) {")
        for case in un.cases():
            for label in case.labels():
                self.st.out("default:" if label.default() else f"case {number_of(label)}:")
            self.st.inc_indent()
            self.getCDR(case.caseType(), field(un, case.declarator().identifier()))
            self.st.out("break;")
            self.st.dec_indent()
        self.st.out("}")
        self.st.dec_indent()
        self.st.out(self.template_union_helper_function_end)

    # Filters: xbind.TYPE.MEMBER, xbind.OPERATION.PARAMETER. The generator mixes parts of the
    # module's name into some of them, and into the labels.

    def genUnion_hf(self, un):
        word = un.identifier()
        self.getCDR_hf(un.switchType(), word, word + ".is", field(un, word))
        for case in un.cases():
            self._member_hf(un, case.caseType(), case.declarator())

    def genSt_hf(self, st):
        for member in st.members():
            for declarator in member.declarators():
                self._member_hf(st, member.memberType(), declarator)

    genEx_hf = genSt_hf

    def genOp_hf(self, op):
        if op.returnType().kind() != idltype.tk_void:
            self._named_hf(op, op.returnType(), "return")
        for parameter in op.parameters():
            self._named_hf(op, parameter.paramType(), parameter.identifier())

    def _member_hf(self, holder, kind, declarator):
        self._named_hf(holder, kind, declarator.identifier())

    def _named_hf(self, holder, kind, word):
        self.getCDR_hf(kind, word, f"{holder.identifier()}.{word}", field(holder, word))

    # Operations. The generator takes an operation of the name service for ours if the names agree.

    def genMainEntryStart(self, oplist):
        self.st.out(READS_WHOLE)
        super().genMainEntryStart(oplist)

    def genOpDelegator(self, oplist):
        for op in oplist:
            self.st.out('if (strcmp(operation, "@word@") == 0) {', word=op.identifier())
            self.st.inc_indent()
            if op.identifier() in NAME_SERVICE:
                self.st.out("""\
if (!reads_whole(decode_@name@, tvb, pinfo, *offset, header, operation, stream_is_big_endian))
    return FALSE;""", name=c_name(op))
            self.st.out(DECODE_OPERATION, name=c_name(op))
            self.st.dec_indent()
            self.st.out("}")

    # Typed constants: names beside the numbers. The generator ignores constants.

    def genDeclares(self, oplist, atlist, enlist, stlist, unlist):
        super().genDeclares(oplist, atlist, enlist, stlist, unlist)
        for name, values in self.named_octets.items():
            self.st.out(self.template_value_string_start, valstringname=name)
            for value, word in values:
                self.st.out(self.template_value_string_entry, intval=str(value), description=word)
            self.st.out(self.template_value_string_end)

    def getCDR_hf(self, type, desc, filter, hf_name="fred"):  # pylint: disable=redefined-builtin
        if is_octet_typedef(type) and c_name(type.decl()) in self.named_octets:
            template = self.template_get_CDR_octet_hf.replace("DEC,NULL", "DEC,VALS(@values@)")
            self.st.out(template, values=c_name(type.decl()), hfname=hf_name, descname=desc,
                        filtername=filter, dissector_name=self.dissname)
        else:
            super().getCDR_hf(type, desc, filter, hf_name)

    # Subtrees for structs, unions and the elements of sequences. The generator writes a flat list.

    def get_CDR_struct(self, type, pn):  # pylint: disable=redefined-builtin
        self._subtree(f'"{pn[len(self.curr_sname) + 1:]}"', type)

    get_CDR_union = get_CDR_struct

    def get_CDR_sequence(self, type, pn):  # pylint: disable=redefined-builtin
        element = type.unalias().seqType()
        self.addvar(self.c_i_lim + pn + ";")
        self.addvar(self.c_i + pn + ";")
        self.st.out(self.template_get_CDR_sequence_length_item, seqname=pn)
        self.st.out("""\
{
    proto_tree *around = tree;
    tree = proto_item_add_subtree(item, ett_xbind);""")
        self.st.inc_indent()
        self.st.out(self.template_get_CDR_sequence_loop_start, seqname=pn)
        self.st.inc_indent()
        if element.unalias().kind() in (idltype.tk_struct, idltype.tk_union):
            self._subtree(f'"[%u]", i_{pn}', element)
        else:
            self.getCDR(element, pn)
        self.st.dec_indent()
        self.st.out(self.template_get_CDR_sequence_loop_end)
        self.st.dec_indent()
        self.st.out("    tree = around;\n}")

    def _subtree(self, label, kind):
        is_struct = kind.unalias().kind() == idltype.tk_struct
        self.st.out("""\
{
    proto_tree *outside = tree;
    proto_item *whole;
    tree = proto_tree_add_subtree_format(outside, tvb, *offset, 0, ett_xbind, &whole, @label@);
    item = whole;""", label=label)
        self.st.inc_indent()
        self.st.out(self.template_decode_struct if is_struct else self.template_decode_union,
                    name=c_name(kind.unalias().decl()))
        self.st.dec_indent()
        self.st.out("""\
    proto_item_set_end(whole, tvb, *offset);
    tree = outside;
}""")


def is_octet_typedef(kind):
    return kind.kind() == idltype.tk_alias and kind.unalias().kind() == idltype.tk_octet


def c_name(declaration):
    return wireshark_gen_C.namespace(declaration, "_")


def field(holder, word):
    """The C name of the field for a member or parameter."""
    return f"{c_name(holder)}_{word}"


def number_of(label):
    """The value of a case label on the wire."""
    value = label.value()
    return value.value() if isinstance(value, idlast.Enumerator) else int(value)


def corrected_templates():
    """The generator's C texts, by name, with these corrections."""
    texts = {name: text for name, text in vars(wireshark_gen_C).items()
             if name.startswith("template_") and isinstance(text, str)}

    def replace(name, old, new):
        if old not in texts[name]:
            raise SystemExit(f"giop_back_end.py is made for idl2wrs 4.0; in this version {name} "
                             f"has no '{old}'")
        texts[name] = texts[name].replace(old, new)

    for name in texts:
        # Filters begin with xbind, not giop-xbind. Lengths of sequences have the sequence's label.
        texts[name] = texts[name].replace('"giop-@dissector_name@', '"@dissector_name@')
        texts[name] = texts[name].replace("Seq length of @descname@", "@descname@")
    # config.h belongs to Wireshark's own build.
    replace("template_Includes", '#include "config.h"\n', "")
    replace("template_Includes", "<epan/expert.h>", "<epan/expert.h>\n#include <epan/exceptions.h>")
    # Octets in decimal; a boolean as such, not as one bit of eight.
    replace("template_get_CDR_octet_hf", "BASE_HEX", "BASE_DEC")
    replace("template_get_CDR_boolean_hf", "FT_BOOLEAN,8,NULL,0x01",
            "FT_BOOLEAN,BASE_NONE,NULL,0x0")
    # xbind.left_over: octets after the last argument, as a peer of another version sends them.
    texts["template_proto_register_ei_filters"] += \
        "static expert_field ei_xbind_left_over = EI_INIT;\n"
    replace("template_proto_register_end", "    static ei_register_info ei[] = {", """\
    static ei_register_info ei[] = {
        { &ei_xbind_left_over, { "xbind.left_over", PI_PROTOCOL, PI_WARN,
          "Octets after the last argument", EXPFILL }},""")
    # xbind.operation: also of user exceptions.
    replace("template_proto_register_start",
            '"Request_Operation","@dissector_name@.Request_Operation"',
            '"operation","@dissector_name@.operation"')
    replace("template_ex_delegate_code", "    tree = start_dissecting", """\
    proto_item_set_generated(
        proto_tree_add_string(ptree, hf_operationrequest, tvb, 0, 0, operation));
    tree = start_dissecting""")
    return texts


def run(tree, _):
    """The entry point that omniidl calls. Writes the plug-in's source to standard output."""
    stream = output.Stream(sys.stdout, 4)
    seen = Declarations(stream)
    seen.visitAST(tree)
    for name, text in corrected_templates().items():
        setattr(Generator, name, text)
    generator = Generator(stream, seen.named_octets)
    generator.genCode(seen.oplist, seen.atlist, seen.enlist, seen.stlist, seen.unlist)
    stream.out(PLUGIN)
