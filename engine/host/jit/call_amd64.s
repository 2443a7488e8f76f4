#include "textflag.h"

// func call(entry uintptr, frame unsafe.Pointer)
//
// The code takes the frame in DI, needs no stack but its return address, and leaves BP and R14 alone.
TEXT ·call(SB), NOSPLIT, $8-16
	MOVQ entry+0(FP), AX
	MOVQ frame+8(FP), DI
	CALL AX
	VZEROUPPER
	RET
