package emu

import (
	"encoding/binary"
	"strings"
	"testing"
)

// entry is a text of one kernel with a parameter out and some registers.
func entry(body string) string {
	return ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(\n.param .u64 out\n)\n.maxntid 256, 1, 1\n{\n" +
		".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.reg .f64 %fd<4>;\n.shared .align 8 .b8 s[64];\n" +
		"ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmad.wide.u32 %rd2, %r1, 4, %rd1;\n" + body + "\n}\n"
}

// run runs a text on 64 threads, each with a word of the result.
func run(t *testing.T, body string) ([]uint32, error) {
	t.Helper()
	m, err := Parse(entry(body))
	if err != nil {
		return nil, err
	}
	if err := m.Verify(); err != nil {
		return nil, err
	}
	mem, out := NewMemory(), make([]byte, 64*4)
	at := mem.Map(out)
	if err := m.Run(mem, Launch{Entry: "k", GridX: 1, Block: 64, Args: []uint64{at}, Steps: 1 << 12}); err != nil {
		return nil, err
	}
	var words []uint32
	for i := range 64 {
		words = append(words, binary.LittleEndian.Uint32(out[4*i:]))
	}
	return words, nil
}

func TestLanesMeetAgainAfterABranch(t *testing.T) {
	got, err := run(t, `and.b32 %r2, %r1, 1;
setp.ne.u32 %p1, %r2, 0;
mov.u32 %r3, 0;
@%p1 bra L_odd;
mov.u32 %r3, 7;
L_odd:
vote.sync.ballot.b32 %r4, %p1, 0xffffffff;
add.u32 %r4, %r4, %r3;
st.global.u32 [%rd2], %r4;
ret;`)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range got {
		if want := uint32(0xAAAAAAAA) + 7*uint32(1-i%2); w != want {
			t.Errorf("thread %d has %#x, want %#x", i, w, want)
		}
	}
}

func TestABarrierOrdersTheWarpsOfABlock(t *testing.T) {
	got, err := run(t, `mov.u64 %rd3, s;
setp.ge.u32 %p1, %r1, 32;
mov.u32 %r2, 5;
@%p1 st.shared.u32 [%rd3], %r2;
bar.sync 0;
ld.shared.u32 %r3, [%rd3];
st.global.u32 [%rd2], %r3;
ret;`)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range got {
		if w != 5 {
			t.Errorf("thread %d has %d, want 5", i, w)
		}
	}
}

func TestWhatADeviceWouldNotShowIsRefused(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"an instruction that is not emitted", "add.f64 %fd1, %fd2, %fd3;\nret;", "no instruction"},
		{"a register that is not declared", "mov.u32 %r9, 1;\nret;", "not declared"},
		{"a register of another type", "mov.u32 %rd3, 1;\nret;", "is no u32"},
		{"an integer constant among floats", "setp.lt.f64 %p1, 1, 0d0000000000000000;\nret;", "stands where"},
		{"a label that is nowhere", "bra L_nowhere;\nret;", "no label"},
		{"a label twice", "L_a:\nL_a:\nret;", "twice"},
		{"a register that nothing writes", "mov.u32 %r2, %r3;\nret;", "nothing can have written"},
		{"a register that this thread has not written", "setp.eq.u32 %p1, %r1, 0;\n@%p1 mov.u32 %r2, 1;\nadd.u32 %r3, %r2, 1;\nret;", "has not been written"},
		{"a store outside of the buffer", "mov.u32 %r2, 1;\nst.global.u32 [%rd1+256], %r2;\nret;", "in no buffer"},
		{"a store that is not aligned", "mov.u32 %r2, 1;\nst.global.u32 [%rd1+2], %r2;\nret;", "not aligned"},
		{"a store to what is read as read-only memory", "ld.global.nc.u32 %r2, [%rd1];\nst.global.u32 [%rd2], %r2;\nret;", "read-only"},
		{"a vote of lanes that have left", "setp.eq.u32 %p1, %r1, 3;\n@%p1 ret;\nvote.sync.ballot.b32 %r2, %p1, 0xffffffff;\nret;", "have ended"},
		{"a vote that not all lanes come to", "setp.eq.u32 %p1, %r1, 3;\nL_w:\n@%p1 bra L_w;\nvote.sync.ballot.b32 %r2, %p1, 0xffffffff;\nret;", "runs for more"},
		{"two votes that wait for each other", "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra L_x;\nvote.sync.ballot.b32 %r2, %p1, 0xffffffff;\nL_x:\nvote.sync.ballot.b32 %r3, %p1, 0xffffffff;\nret;", "wait for ever"},
		{"an end that is missing", "mov.u32 %r2, 1;", "runs off"},
	} {
		if _, err := run(t, c.body); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want one with %q", c.name, err, c.want)
		}
	}
}
