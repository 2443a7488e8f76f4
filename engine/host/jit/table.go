package jit

// op is a machine instruction that the encoder knows, or one of the allocator's own (pseudo.go).
type op uint8

// Encoding fields.
const (
	map0F   = 1
	map0F38 = 2
	map0F3A = 3

	ppNone = 0
	pp66   = 1
	ppF3   = 2
	ppF2   = 3

	len256 = 1
	len512 = 2
)

// form is which operands an instruction has, and where they stand in the encoding.
type form uint8

const (
	formRVM     form = iota // dst, a, b: ModRM.reg, vvvv, ModRM.rm
	formRM                  // dst, b: ModRM.reg, ModRM.rm
	formMR                  // dst, b: ModRM.rm, ModRM.reg
	formKVM                 // as RVM, dst is a mask register
	formFromK               // dst, b: b is a mask register
	formToK                 // dst, b: dst is a mask register
	formGather              // dst, memory by a vector of indexes, under a mask
	formScatter             // memory by a vector of indexes, b, under a mask
	formLoad                // dst, memory of the frame
	formStore               // memory of the frame, b
)

// Properties of an instruction.
const (
	hasImm   = 1 << iota
	commutes // a and b may be swapped
	memory   // b may be in memory: the whole vector, or one element for all lanes
	tied     // dst is read too
)

// insn is how an instruction is encoded with an EVEX prefix.
type insn struct {
	name   string
	form   form
	mm, pp uint8
	w      uint8
	opcode uint8
	length uint8
	size   uint8 // bytes of an element in memory
	flags  uint8
}

// The instructions.
const (
	opInvalid op = iota
	vaddpd
	vaddps
	vsubpd
	vsubps
	vmulpd
	vmulps
	vdivpd
	vdivps
	vsqrtpd
	vsqrtps
	vmaxpd
	vmaxps
	vminpd
	vminps
	vrangepd
	vrangeps
	vfixupimmpd
	vfixupimmps
	vfmadd213pd
	vfmadd213ps
	vrndscalepd
	vrndscaleps
	vcmppd
	vcmpps
	vpaddq
	vpaddd
	vpsubq
	vpsubd
	vpmullq
	vpmulld
	vpandq
	vpandd
	vporq
	vpord
	vpxorq
	vpxord
	vpsllvq
	vpsllvd
	vpsrlvq
	vpsrlvd
	vpsravq
	vpsravd
	vpminsq
	vpminsd
	vpminuq
	vpminud
	vpmaxsq
	vpmaxsd
	vpmaxuq
	vpmaxud
	vpcmpq
	vpcmpd
	vpcmpuq
	vpcmpud
	vptestmq
	vptestmd
	vpblendmq
	vpblendmd
	vmovdqa64
	vmovdqa32
	vloadq
	vloadd
	vstoreq
	vstored
	vbroadcastq
	vbroadcastd
	vpmovsxdq
	vpmovzxdq
	vpmovqd
	vpmovusqd
	vpmovm2q
	vpmovm2d
	vcvtdq2pd
	vcvtudq2pd
	vcvtqq2pd
	vcvtuqq2pd
	vcvtdq2ps
	vcvtudq2ps
	vcvtqq2ps
	vcvtuqq2ps
	vcvtps2pd
	vcvtpd2ps
	vcvttpd2dq
	vcvttpd2udq
	vcvttpd2qq
	vcvttpd2uqq
	vcvttps2dq
	vcvttps2udq
	vcvttps2qq
	vcvttps2uqq
	vpgatherqq
	vpgatherqd
	vpscatterqq
	vpscatterqd
	firstMask // instructions on mask registers follow
)

const (
	arith    = commutes | memory
	arithImm = memory | hasImm
)

// insns is the table. Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
var insns = [firstMask]insn{
	vaddpd:      {"vaddpd", formRVM, map0F, pp66, 1, 0x58, len512, 8, arith},
	vaddps:      {"vaddps", formRVM, map0F, ppNone, 0, 0x58, len256, 4, arith},
	vsubpd:      {"vsubpd", formRVM, map0F, pp66, 1, 0x5C, len512, 8, memory},
	vsubps:      {"vsubps", formRVM, map0F, ppNone, 0, 0x5C, len256, 4, memory},
	vmulpd:      {"vmulpd", formRVM, map0F, pp66, 1, 0x59, len512, 8, arith},
	vmulps:      {"vmulps", formRVM, map0F, ppNone, 0, 0x59, len256, 4, arith},
	vdivpd:      {"vdivpd", formRVM, map0F, pp66, 1, 0x5E, len512, 8, memory},
	vdivps:      {"vdivps", formRVM, map0F, ppNone, 0, 0x5E, len256, 4, memory},
	vsqrtpd:     {"vsqrtpd", formRM, map0F, pp66, 1, 0x51, len512, 8, memory},
	vsqrtps:     {"vsqrtps", formRM, map0F, ppNone, 0, 0x51, len256, 4, memory},
	vmaxpd:      {"vmaxpd", formRVM, map0F, pp66, 1, 0x5F, len512, 8, memory},
	vmaxps:      {"vmaxps", formRVM, map0F, ppNone, 0, 0x5F, len256, 4, memory},
	vminpd:      {"vminpd", formRVM, map0F, pp66, 1, 0x5D, len512, 8, memory},
	vminps:      {"vminps", formRVM, map0F, ppNone, 0, 0x5D, len256, 4, memory},
	vrangepd:    {"vrangepd", formRVM, map0F3A, pp66, 1, 0x50, len512, 8, arithImm},
	vrangeps:    {"vrangeps", formRVM, map0F3A, pp66, 0, 0x50, len256, 4, arithImm},
	vfixupimmpd: {"vfixupimmpd", formRVM, map0F3A, pp66, 1, 0x54, len512, 8, arithImm | tied},
	vfixupimmps: {"vfixupimmps", formRVM, map0F3A, pp66, 0, 0x54, len256, 4, arithImm | tied},
	vfmadd213pd: {"vfmadd213pd", formRVM, map0F38, pp66, 1, 0xA8, len512, 8, memory | tied},
	vfmadd213ps: {"vfmadd213ps", formRVM, map0F38, pp66, 0, 0xA8, len256, 4, memory | tied},
	vrndscalepd: {"vrndscalepd", formRM, map0F3A, pp66, 1, 0x09, len512, 8, arithImm},
	vrndscaleps: {"vrndscaleps", formRM, map0F3A, pp66, 0, 0x08, len256, 4, arithImm},
	vcmppd:      {"vcmppd", formKVM, map0F, pp66, 1, 0xC2, len512, 8, arithImm},
	vcmpps:      {"vcmpps", formKVM, map0F, ppNone, 0, 0xC2, len256, 4, arithImm},

	vpaddq:  {"vpaddq", formRVM, map0F, pp66, 1, 0xD4, len512, 8, arith},
	vpaddd:  {"vpaddd", formRVM, map0F, pp66, 0, 0xFE, len256, 4, arith},
	vpsubq:  {"vpsubq", formRVM, map0F, pp66, 1, 0xFB, len512, 8, memory},
	vpsubd:  {"vpsubd", formRVM, map0F, pp66, 0, 0xFA, len256, 4, memory},
	vpmullq: {"vpmullq", formRVM, map0F38, pp66, 1, 0x40, len512, 8, arith},
	vpmulld: {"vpmulld", formRVM, map0F38, pp66, 0, 0x40, len256, 4, arith},
	vpandq:  {"vpandq", formRVM, map0F, pp66, 1, 0xDB, len512, 8, arith},
	vpandd:  {"vpandd", formRVM, map0F, pp66, 0, 0xDB, len256, 4, arith},
	vporq:   {"vporq", formRVM, map0F, pp66, 1, 0xEB, len512, 8, arith},
	vpord:   {"vpord", formRVM, map0F, pp66, 0, 0xEB, len256, 4, arith},
	vpxorq:  {"vpxorq", formRVM, map0F, pp66, 1, 0xEF, len512, 8, arith},
	vpxord:  {"vpxord", formRVM, map0F, pp66, 0, 0xEF, len256, 4, arith},
	vpsllvq: {"vpsllvq", formRVM, map0F38, pp66, 1, 0x47, len512, 8, memory},
	vpsllvd: {"vpsllvd", formRVM, map0F38, pp66, 0, 0x47, len256, 4, memory},
	vpsrlvq: {"vpsrlvq", formRVM, map0F38, pp66, 1, 0x45, len512, 8, memory},
	vpsrlvd: {"vpsrlvd", formRVM, map0F38, pp66, 0, 0x45, len256, 4, memory},
	vpsravq: {"vpsravq", formRVM, map0F38, pp66, 1, 0x46, len512, 8, memory},
	vpsravd: {"vpsravd", formRVM, map0F38, pp66, 0, 0x46, len256, 4, memory},
	vpminsq: {"vpminsq", formRVM, map0F38, pp66, 1, 0x39, len512, 8, arith},
	vpminsd: {"vpminsd", formRVM, map0F38, pp66, 0, 0x39, len256, 4, arith},
	vpminuq: {"vpminuq", formRVM, map0F38, pp66, 1, 0x3B, len512, 8, arith},
	vpminud: {"vpminud", formRVM, map0F38, pp66, 0, 0x3B, len256, 4, arith},
	vpmaxsq: {"vpmaxsq", formRVM, map0F38, pp66, 1, 0x3D, len512, 8, arith},
	vpmaxsd: {"vpmaxsd", formRVM, map0F38, pp66, 0, 0x3D, len256, 4, arith},
	vpmaxuq: {"vpmaxuq", formRVM, map0F38, pp66, 1, 0x3F, len512, 8, arith},
	vpmaxud: {"vpmaxud", formRVM, map0F38, pp66, 0, 0x3F, len256, 4, arith},
	vpcmpq:  {"vpcmpq", formKVM, map0F3A, pp66, 1, 0x1F, len512, 8, arithImm},
	vpcmpd:  {"vpcmpd", formKVM, map0F3A, pp66, 0, 0x1F, len256, 4, arithImm},
	vpcmpuq: {"vpcmpuq", formKVM, map0F3A, pp66, 1, 0x1E, len512, 8, arithImm},
	vpcmpud: {"vpcmpud", formKVM, map0F3A, pp66, 0, 0x1E, len256, 4, arithImm},

	vptestmq:  {"vptestmq", formKVM, map0F38, pp66, 1, 0x27, len512, 8, memory},
	vptestmd:  {"vptestmd", formKVM, map0F38, pp66, 0, 0x27, len256, 4, memory},
	vpblendmq: {"vpblendmq", formRVM, map0F38, pp66, 1, 0x64, len512, 8, memory},
	vpblendmd: {"vpblendmd", formRVM, map0F38, pp66, 0, 0x64, len256, 4, memory},

	vmovdqa64:   {"vmovdqa64", formRM, map0F, pp66, 1, 0x6F, len512, 8, 0},
	vmovdqa32:   {"vmovdqa32", formRM, map0F, pp66, 0, 0x6F, len256, 4, 0},
	vloadq:      {"vmovdqu64", formLoad, map0F, ppF3, 1, 0x6F, len512, 8, 0},
	vloadd:      {"vmovdqu32", formLoad, map0F, ppF3, 0, 0x6F, len256, 4, 0},
	vstoreq:     {"vmovdqu64", formStore, map0F, ppF3, 1, 0x7F, len512, 8, 0},
	vstored:     {"vmovdqu32", formStore, map0F, ppF3, 0, 0x7F, len256, 4, 0},
	vbroadcastq: {"vpbroadcastq", formLoad, map0F38, pp66, 1, 0x59, len512, 8, 0},
	vbroadcastd: {"vpbroadcastd", formLoad, map0F38, pp66, 0, 0x58, len256, 4, 0},

	vpmovsxdq: {"vpmovsxdq", formRM, map0F38, pp66, 0, 0x25, len512, 4, 0},
	vpmovzxdq: {"vpmovzxdq", formRM, map0F38, pp66, 0, 0x35, len512, 4, 0},
	vpmovqd:   {"vpmovqd", formMR, map0F38, ppF3, 0, 0x35, len512, 4, 0},
	vpmovusqd: {"vpmovusqd", formMR, map0F38, ppF3, 0, 0x15, len512, 4, 0},
	vpmovm2q:  {"vpmovm2q", formFromK, map0F38, ppF3, 1, 0x38, len512, 8, 0},
	vpmovm2d:  {"vpmovm2d", formFromK, map0F38, ppF3, 0, 0x38, len256, 4, 0},

	vcvtdq2pd:   {"vcvtdq2pd", formRM, map0F, ppF3, 0, 0xE6, len512, 4, 0},
	vcvtudq2pd:  {"vcvtudq2pd", formRM, map0F, ppF3, 0, 0x7A, len512, 4, 0},
	vcvtqq2pd:   {"vcvtqq2pd", formRM, map0F, ppF3, 1, 0xE6, len512, 8, 0},
	vcvtuqq2pd:  {"vcvtuqq2pd", formRM, map0F, ppF3, 1, 0x7A, len512, 8, 0},
	vcvtdq2ps:   {"vcvtdq2ps", formRM, map0F, ppNone, 0, 0x5B, len256, 4, 0},
	vcvtudq2ps:  {"vcvtudq2ps", formRM, map0F, ppF2, 0, 0x7A, len256, 4, 0},
	vcvtqq2ps:   {"vcvtqq2ps", formRM, map0F, ppNone, 1, 0x5B, len512, 8, 0},
	vcvtuqq2ps:  {"vcvtuqq2ps", formRM, map0F, ppF2, 1, 0x7A, len512, 8, 0},
	vcvtps2pd:   {"vcvtps2pd", formRM, map0F, ppNone, 0, 0x5A, len512, 4, 0},
	vcvtpd2ps:   {"vcvtpd2ps", formRM, map0F, pp66, 1, 0x5A, len512, 8, 0},
	vcvttpd2dq:  {"vcvttpd2dq", formRM, map0F, pp66, 1, 0xE6, len512, 8, 0},
	vcvttpd2udq: {"vcvttpd2udq", formRM, map0F, ppNone, 1, 0x78, len512, 8, 0},
	vcvttpd2qq:  {"vcvttpd2qq", formRM, map0F, pp66, 1, 0x7A, len512, 8, 0},
	vcvttpd2uqq: {"vcvttpd2uqq", formRM, map0F, pp66, 1, 0x78, len512, 8, 0},
	vcvttps2dq:  {"vcvttps2dq", formRM, map0F, ppF3, 0, 0x5B, len256, 4, 0},
	vcvttps2udq: {"vcvttps2udq", formRM, map0F, ppNone, 0, 0x78, len256, 4, 0},
	vcvttps2qq:  {"vcvttps2qq", formRM, map0F, pp66, 0, 0x7A, len512, 4, 0},
	vcvttps2uqq: {"vcvttps2uqq", formRM, map0F, pp66, 0, 0x78, len512, 4, 0},

	vpgatherqq:  {"vpgatherqq", formGather, map0F38, pp66, 1, 0x91, len512, 8, tied},
	vpgatherqd:  {"vpgatherqd", formGather, map0F38, pp66, 0, 0x91, len512, 4, tied},
	vpscatterqq: {"vpscatterqq", formScatter, map0F38, pp66, 1, 0xA1, len512, 8, 0},
	vpscatterqd: {"vpscatterqd", formScatter, map0F38, pp66, 0, 0xA1, len512, 4, 0},
}

// Instructions on mask registers, encoded with a VEX prefix.
const (
	kandb op = firstMask + iota
	kandnb
	korb
	kxorb
	kxnorb
	knotb
	kmovb
	firstPseudo // see pseudo.go
)

// maskInsn is how an instruction on mask registers is encoded.
type maskInsn struct {
	name   string
	l      uint8 // VEX.L: 1 with three operands
	opcode uint8
}

var maskInsns = [...]maskInsn{
	kandb - firstMask:  {"kandb", 1, 0x41},
	kandnb - firstMask: {"kandnb", 1, 0x42},
	korb - firstMask:   {"korb", 1, 0x45},
	kxorb - firstMask:  {"kxorb", 1, 0x47},
	kxnorb - firstMask: {"kxnorb", 1, 0x46},
	knotb - firstMask:  {"knotb", 0, 0x44},
	kmovb - firstMask:  {"kmovb", 0, 0x90},
}

func (o op) has(flag uint8) bool { return o < firstMask && insns[o].flags&flag != 0 }
