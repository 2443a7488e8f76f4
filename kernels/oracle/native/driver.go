package native

import (
	"bufio"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
)

// Kernel is one kernel of a program.
type Kernel struct {
	New         func() any // a pointer to a new sample
	Observables []string   // the methods to call at the end
}

// Plane is the values of one field: width rows of one element per sample, or of one element when all
// samples share it. A field that is a slice takes the plane as a whole.
type Plane struct {
	Field  string
	Shared bool
	Data   []byte
}

// Request is a batch for one kernel.
type Request struct {
	Kernel int
	N      int
	Init   bool   // call Init first
	Steps  uint32 // the most steps of a sample
	Planes []Plane
}

// Response is the batch after its run. Mask has 1 for finished, 2 for faulted.
type Response struct {
	Planes      [][]byte
	Mask        []byte
	Taken       []uint32
	Faulted     []bool     // in Init
	Observables [][]uint64 // bits by observable and sample
	Panicked    [][]bool   // the observable has no value
	Trouble     string     // a panic that no kernel should have
}

// Serve answers requests until r ends.
func Serve(kernels []Kernel, r io.Reader, w io.Writer) error {
	out := bufio.NewWriter(w)
	in, enc := gob.NewDecoder(bufio.NewReader(r)), gob.NewEncoder(out)
	for {
		var q Request
		if err := in.Decode(&q); err == io.EOF {
			return out.Flush()
		} else if err != nil {
			return err
		}
		if q.Kernel >= len(kernels) {
			return fmt.Errorf("there is no kernel %d", q.Kernel)
		}
		if err := enc.Encode(answer(&kernels[q.Kernel], &q)); err != nil {
			return err
		}
	}
}

// answer runs one batch.
func answer(k *Kernel, q *Request) (a *Response) {
	a = &Response{Mask: make([]byte, q.N), Taken: make([]uint32, q.N), Faulted: make([]bool, q.N)}
	defer func() {
		if x := recover(); x != nil {
			a.Trouble = fmt.Sprint(x)
		}
	}()
	for _, p := range q.Planes {
		a.Planes = append(a.Planes, append([]byte(nil), p.Data...))
	}
	for range k.Observables {
		a.Observables = append(a.Observables, make([]uint64, q.N))
		a.Panicked = append(a.Panicked, make([]bool, q.N))
	}
	for i := range q.N {
		s := reflect.ValueOf(k.New())
		for _, p := range q.Planes {
			transfer(s.Elem().FieldByName(p.Field), p.Data, rows(&p, q.N, i), load)
		}
		if q.Init {
			a.Faulted[i] = !survives(s, s.Interface().(interface{ Init() }).Init)
			canonicalize(s.Elem())
		}
		a.Mask[i], a.Taken[i] = run(s, q.Steps)
		for j, p := range q.Planes {
			if !p.Shared {
				transfer(s.Elem().FieldByName(p.Field), a.Planes[j], rows(&p, q.N, i), store)
			}
		}
		for j, name := range k.Observables {
			m := s.MethodByName(name)
			a.Panicked[j][i] = !survives(s, func() { a.Observables[j][i] = bitsOf(m.Call(nil)[0]) })
		}
	}
	return a
}

// run takes up to most steps of a sample.
func run(s reflect.Value, most uint32) (mask byte, taken uint32) {
	step := func() bool { s.Interface().(interface{ Step() }).Step(); return false }
	if f, ok := s.Interface().(interface{ Step() bool }); ok {
		step = f.Step
	}
	for taken < most {
		done := false
		if !survives(s, func() { done = step() }) {
			return 2, taken
		}
		canonicalize(s.Elem())
		taken++
		if done {
			return 1, taken
		}
	}
	return 0, taken
}

// survives runs f; when it panics as a kernel may, the sample is as it was before.
func survives(s reflect.Value, f func()) (ok bool) {
	saved := reflect.New(s.Elem().Type()).Elem()
	saved.Set(s.Elem())
	defer func() {
		switch x := recover().(type) {
		case nil:
		case runtime.Error, CapExhausted:
			s.Elem().Set(saved)
		default:
			panic(x)
		}
	}()
	f()
	return true
}

// layout is where the components of one sample lie in a plane.
type layout struct{ n, i int }

func rows(p *Plane, n, i int) layout {
	if p.Shared {
		return layout{1, 0}
	}
	return layout{n, i}
}

// transfer moves every scalar of a field.
func transfer(v reflect.Value, data []byte, l layout, move func(reflect.Value, []byte)) {
	size, n := elemSize(v.Type()), 0
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), len(data)/size, len(data)/size))
		l = layout{1, 0}
	}
	scalars(v, func(x reflect.Value) {
		at := (n*l.n + l.i) * size
		move(x, data[at:at+size])
		n++
	})
}

func elemSize(t reflect.Type) int {
	for t.Kind() == reflect.Array || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return int(t.Size())
}

// scalars calls f for every scalar of a value, in order.
func scalars(v reflect.Value, f func(reflect.Value)) {
	if v.Kind() != reflect.Array && v.Kind() != reflect.Slice {
		f(v)
		return
	}
	for i := range v.Len() {
		scalars(v.Index(i), f)
	}
}

// canonicalize makes the NaNs of a sample the one NaN, as a store to a plane does.
func canonicalize(s reflect.Value) {
	for i := range s.NumField() {
		if s.Field(i).Kind() == reflect.Slice {
			continue
		}
		scalars(s.Field(i), func(x reflect.Value) {
			if x.CanFloat() && math.IsNaN(x.Float()) {
				x.SetFloat(canonical(math.NaN()))
			}
		})
	}
}

func bitsOf(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Float64:
		return Float64bits(v.Float())
	case reflect.Float32:
		if v.Float() != v.Float() {
			return 0x7FC00000
		}
		return uint64(math.Float32bits(float32(v.Float())))
	case reflect.Int32:
		return uint64(uint32(v.Int()))
	case reflect.Int, reflect.Int64:
		return uint64(v.Int())
	}
	return v.Uint()
}

func store(v reflect.Value, cell []byte) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bitsOf(v))
	copy(cell, b[:])
}

func load(v reflect.Value, cell []byte) {
	var b [8]byte
	copy(b[:], cell)
	bits := binary.LittleEndian.Uint64(b[:])
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(bits != 0)
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(bits))
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(uint32(bits))))
	case reflect.Int32:
		v.SetInt(int64(int32(bits)))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(bits))
	default:
		v.SetUint(bits)
	}
}
