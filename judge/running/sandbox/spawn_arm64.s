//go:build linux

#include "textflag.h"

// func vforkScript(script *call, calls uintptr, flags uintptr, pidfd *int32, failure *spawnFailure) (pid uintptr)
//
// The child has the parent's stack pointer, and the parent may be running: it must
// write nothing there, so no calls and no pushes. System calls keep every register but R0.
TEXT ·vforkScript(SB), NOSPLIT|NOFRAME, $0-48
	MOVD script+0(FP), R19
	MOVD calls+8(FP), R20
	MOVD failure+32(FP), R21
	MOVD flags+16(FP), R0
	MOVD $0, R1
	MOVD pidfd+24(FP), R2
	MOVD $0, R3
	MOVD $0, R4
	MOVD $220, R8 // clone
	SVC
	CBZ  R0, child
	MOVD R0, pid+40(FP)
	RET

child:
	MOVD 0(R19), R8
	MOVD 8(R19), R0
	MOVD 16(R19), R1
	MOVD 24(R19), R2
	MOVD 32(R19), R3
	MOVD 40(R19), R4
	MOVD 48(R19), R5
	SVC
	CMN  $4095, R0
	BCS  failed
	ADD  $56, R19
	SUB  $1, R20
	CBNZ R20, child

failed:
	MOVD R0, 0(R21)
	MOVD R20, 8(R21)

exit:
	MOVD $127, R0
	MOVD $94, R8 // exit_group
	SVC
	B    exit
