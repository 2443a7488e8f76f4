package jit

import (
	"os"
	"testing"
)

func TestZZDump(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip()
	}
	k := load(t, "../../../kernels/library/"+os.Getenv("ZZ"))
	x, err := makeText(k, AVX2)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile("/tmp/zz.bin", x.bytes, 0o644)
}
