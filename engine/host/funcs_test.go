package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// The kernel of these tests derives q = a/b in Init and observes half of q.
const derived = `eaglet.ir 1
kernel derived guard=mask steps=auto steps_max=64 precision=f64 fma=off
file "derived.go"
plane a "A" i64 input init const(0)
plane b "B" i64 input init const(0)
plane q "Q" i64 state init const(0)
trip (%1 i64 = q) {
  %2 = const.bool false
  yield %2, %1
}
init {
  %1 = load.i64 a
  %2 = load.i64 b
  %3 = const.i64 0
  %4 = eq.i64 %2, %3
  fault divide %4 @0:12:9-12
  %5 = div.i64 %1, %2
  yield q = %5
}
observable half {
  %1 = load.i64 q
  %2 = convert.f64.i64 %1
  %3 = const.f64 0.5
  %4 = mul.f64 %2, %3
  yield %4
}
`

func derivedBatch(t *testing.T, workers, n int) (*bound, []int64, []int64, []int64) {
	t.Helper()
	k, err := ir.Read(strings.NewReader(derived))
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(k); err != nil {
		t.Fatal(err)
	}
	p, err := New(WithWorkers(workers)).Compile(k)
	if err != nil {
		t.Fatal(err)
	}
	planes := engine.NewPlanes(k.Planes, n)
	b, err := p.Bind(planes, make([]byte, n))
	if err != nil {
		t.Fatal(err)
	}
	view := func(i int) []int64 { return engine.View[int64](planes, i) }
	for i := range n {
		view(0)[i], view(1)[i] = int64(3*i), int64(i%7+1)
	}
	return b.(*bound), view(0), view(1), view(2)
}

func TestInitAndObserveCoverEverySample(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, n := range []int{0, 1, 9, 20000} {
			bd, a, b, q := derivedBatch(t, workers, n)
			if err := bd.Init(nil); err != nil {
				t.Fatal(err)
			}
			half := make([]float64, n)
			if err := bd.Observe(0, half); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if q[i] != a[i]/b[i] || half[i] != float64(q[i])/2 {
					t.Fatalf("sample %d of %d: got q %d, half %v, want %d", i, n, q[i], half[i], a[i]/b[i])
				}
			}
		}
	}
}

func TestInitNamesTheFirstFault(t *testing.T) {
	for _, workers := range []int{1, 3} {
		bd, a, b, q := derivedBatch(t, workers, 20000)
		b[19000], b[412] = 0, 0
		err := bd.Init(nil)
		const want = "host: init of kernel derived: sample 412: integer division by zero at derived.go:12:9: change the values it is derived from, or guard the expression"
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if q[412] != 0 || q[413] != a[413]/b[413] {
			t.Errorf("q is %d at the fault and %d after it", q[412], q[413])
		}
	}
}

func TestInitSaysThatItWasStopped(t *testing.T) {
	bd, _, _, _ := derivedBatch(t, 2, 20000)
	var stop engine.Stop
	stop.Set()
	if err := bd.Init(&stop); !errors.Is(err, errStopped) {
		t.Errorf("got %v", err)
	}
}

func TestObserveRefuses(t *testing.T) {
	bd, _, _, _ := derivedBatch(t, 1, 5)
	for _, c := range []struct {
		fn   int
		dst  []float64
		want string
	}{
		{1, make([]float64, 5), "there is no number 1"},
		{-1, make([]float64, 5), "there is no number -1"},
		{0, make([]float64, 4), "observable half: 4 places for 5 samples"},
	} {
		if err := bd.Observe(c.fn, c.dst); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q in it", err, c.want)
		}
	}
}
