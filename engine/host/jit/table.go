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

	len128 = 0
	len256 = 1
	len512 = 2
)

// form is which operands an instruction has, and where they stand in the encoding.
type form uint8

const (
	formRVM       form = iota // dst, a, b: ModRM.reg, vvvv, ModRM.rm
	formRM                    // dst, b: ModRM.reg, ModRM.rm
	formMR                    // dst, b: ModRM.rm, ModRM.reg
	formKVM                   // as RVM, dst is a mask register
	formBlend                 // as RVM, and a mask in a vector register
	formToGeneral             // dst is a general register
	formFromK                 // dst, b: b is a mask register
	formToK                   // dst, b: dst is a mask register
	formGather                // dst, memory by a vector of indexes, under a mask
	formScatter               // memory by a vector of indexes, b, under a mask
	formLoad                  // dst, memory of the frame
	formStore                 // memory of the frame, b
)

// Properties of an instruction.
const (
	hasImm   = 1 << iota
	commutes // a and b may be swapped
	memory   // b may be in memory: the whole vector, or one element for all lanes
	tied     // dst is read too
)

// insn is how an instruction is encoded with an EVEX or a VEX prefix.
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
	// Of AVX2 only.
	vpandnq
	vpandnd
	vpmuludq
	vpadddWide
	vpmulldWide
	vpcmpeqq
	vpcmpeqd
	vpcmpgtq
	vpcmpgtd
	vblendvpd
	vblendvps
	vpblendd
	vpshufd
	vshufps
	vextractf128
	vmovmskpd
	vmovmskps
	firstMask // instructions on mask registers follow
)

const (
	arith    = commutes | memory
	arithImm = memory | hasImm
)

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
