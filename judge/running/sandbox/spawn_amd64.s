//go:build linux

#include "textflag.h"

// func vforkScript(script *call, calls uintptr, flags uintptr, pidfd *int32, failure *spawnFailure) (pid uintptr)
//
// The child has the parent's stack pointer, and the parent may be running: it must
// write nothing there, so no calls and no pushes. System calls keep every register but AX,
// CX and R11.
TEXT ·vforkScript(SB), NOSPLIT, $0-48
	MOVQ script+0(FP), BX
	MOVQ calls+8(FP), R12
	MOVQ failure+32(FP), R13
	MOVQ flags+16(FP), DI
	XORL SI, SI
	MOVQ pidfd+24(FP), DX
	XORL R10, R10
	XORL R8, R8
	MOVL $56, AX // clone
	SYSCALL
	TESTQ AX, AX
	JZ   child
	MOVQ AX, pid+40(FP)
	RET

child:
	MOVQ 0(BX), AX
	MOVQ 8(BX), DI
	MOVQ 16(BX), SI
	MOVQ 24(BX), DX
	MOVQ 32(BX), R10
	MOVQ 40(BX), R8
	MOVQ 48(BX), R9
	SYSCALL
	CMPQ AX, $0xfffffffffffff001
	JCC  failed
	ADDQ $56, BX
	SUBQ $1, R12
	JNZ  child

failed:
	MOVQ AX, 0(R13)
	MOVQ R12, 8(R13)

exit:
	MOVL $127, DI
	MOVL $231, AX // exit_group
	SYSCALL
	JMP  exit
