package ptx

import (
	"fmt"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Generate makes the text of k, which must be verified. The error says what a device cannot take.
func Generate(k *ir.Kernel, o Options) (*Module, error) {
	args := argsOf(k)
	if bytes := 8 * args; bytes > maxParamBytes {
		return nil, fmt.Errorf("ptx: kernel %s has %d planes, whose %d parameters take more than the %d bytes that an entry may have: put components of one kind into an array",
			k.Name, len(k.Planes), args, maxParamBytes)
	}
	m := &Module{Entries: map[Kind]string{}, Args: args}
	sites, list := sitesOf(&k.Step.Trip, 0)
	m.Sites = list
	look := o.Look
	if look == 0 {
		look = lookOf(totalWork(&k.Step.Trip))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "// eaglet kernel %s\n%s", k.Name, header)
	b.WriteString(tables(k))
	add := func(kind Kind, text string) {
		m.Entries[kind] = kind.String()
		b.WriteString(text)
	}
	kinds := []Kind{Single, Fused}
	if k.Guard == ir.GuardActiveSet {
		kinds = append(kinds, SingleActive, FusedActive)
	}
	for _, kind := range kinds {
		add(kind, launch(k, sites, kind, look))
	}
	add(Persistent, persistent(k, sites, look))
	if k.Init != nil {
		initSites, list := sitesOf(&k.Init.Body, len(m.Sites))
		m.Sites = append(m.Sites, list...)
		add(Init, initEntry(k, initSites))
	}
	for _, f := range k.Observables {
		name := observableName(f)
		m.Observables = append(m.Observables, name)
		b.WriteString(observable(k, f, name))
	}
	m.Text = b.String()
	return m, nil
}

// Steps between two looks at cancel: as many as make about lookWork instructions, so that a look costs
// nothing and a stop is seen well within a millisecond.
const (
	lookWork = 1 << 15
	lookMost = 256
)

// lookOf is the steps between two looks for a step of so much work, a power of two.
func lookOf(work uint64) uint32 {
	look := uint32(lookMost)
	for look > 1 && uint64(look)*work > lookWork {
		look /= 2
	}
	return look
}
