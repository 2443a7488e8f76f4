package driver

import (
	"strings"
	"testing"
)

func TestMissingFunctionsAreNamed(t *testing.T) {
	without := func(names ...string) func(string) uintptr {
		return func(name string) uintptr {
			for _, n := range names {
				if n == name {
					return 0
				}
			}
			return 1
		}
	}
	if _, err := resolve(without()); err != nil {
		t.Fatalf("a whole library: %v", err)
	}
	if _, err := resolve(without("cuMemAlloc_v2", "cuLinkCreate_v2")); err == nil || !strings.Contains(err.Error(), "cuLinkCreate_v2, cuMemAlloc_v2") {
		t.Errorf("an old driver: %v", err)
	}
}

func TestResultsReadAsSentences(t *testing.T) {
	r := &Result{Call: "cuModuleLoadDataEx", Code: 218, Name: "CUDA_ERROR_INVALID_PTX", Text: "a PTX JIT compilation failed", Log: "line 4; error"}
	if got, want := r.Error(), "cuModuleLoadDataEx gave 218 CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed): line 4; error"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for code, lost := range map[int32]bool{700: true, 719: true, 709: true, 2: false, 218: false, 600: false, 201: false} {
		if r := (&Result{Code: code}); r.Lost() != lost {
			t.Errorf("%d: lost is %v", code, !lost)
		}
	}
}
