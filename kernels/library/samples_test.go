package library_test

import (
	"math"

	"github.com/eaglet-workbench/eaglet/kernels/library/barrier"
	"github.com/eaglet-workbench/eaglet/kernels/library/bugequal"
	"github.com/eaglet-workbench/eaglet/kernels/library/bugmargin"
	"github.com/eaglet-workbench/eaglet/kernels/library/bugnan"
	"github.com/eaglet-workbench/eaglet/kernels/library/contact"
	"github.com/eaglet-workbench/eaglet/kernels/library/euler"
	"github.com/eaglet-workbench/eaglet/kernels/library/finishonly"
	"github.com/eaglet-workbench/eaglet/kernels/library/julia"
	"github.com/eaglet-workbench/eaglet/kernels/library/kan"
	"github.com/eaglet-workbench/eaglet/kernels/library/kepler"
	"github.com/eaglet-workbench/eaglet/kernels/library/keplereq"
	"github.com/eaglet-workbench/eaglet/kernels/library/lorenz"
	"github.com/eaglet-workbench/eaglet/kernels/library/mandelbrot"
	"github.com/eaglet-workbench/eaglet/kernels/library/oscillator"
	"github.com/eaglet-workbench/eaglet/kernels/library/pendulum"
	"github.com/eaglet-workbench/eaglet/kernels/library/projectile"
	"github.com/eaglet-workbench/eaglet/kernels/library/reentry"
	"github.com/eaglet-workbench/eaglet/kernels/library/robertson"
	"github.com/eaglet-workbench/eaglet/kernels/library/sir"
	"github.com/eaglet-workbench/eaglet/kernels/library/threebody"
	"github.com/eaglet-workbench/eaglet/kernels/library/walk"
)

// stepper is a sample as Go has it.
type stepper interface{ Step() bool }

// samples makes one native sample of each bundled kernel.
var samples = map[string]func() stepper{
	"barrier":    func() stepper { return new(barrier.Barrier) },
	"bugequal":   func() stepper { return new(bugequal.Bugequal) },
	"bugmargin":  func() stepper { return new(bugmargin.Bugmargin) },
	"bugnan":     func() stepper { return new(bugnan.Bugnan) },
	"contact":    func() stepper { return new(contact.Contact) },
	"euler":      func() stepper { return new(euler.Euler) },
	"finishonly": func() stepper { return new(finishonly.Finishonly) },
	"julia":      func() stepper { return new(julia.Julia) },
	"kan":        func() stepper { return new(kan.Kan) },
	"kepler":     func() stepper { return new(kepler.Kepler) },
	"keplereq":   func() stepper { return new(keplereq.Keplereq) },
	"lorenz":     func() stepper { return new(lorenz.Lorenz) },
	"mandelbrot": func() stepper { return new(mandelbrot.Mandelbrot) },
	"oscillator": func() stepper { return new(oscillator.Oscillator) },
	"pendulum":   func() stepper { return new(pendulum.Pendulum) },
	"projectile": func() stepper { return new(projectile.Projectile) },
	"reentry":    func() stepper { return new(reentry.Reentry) },
	"robertson":  func() stepper { return new(robertson.Robertson) },
	"sir":        func() stepper { return new(sir.SIR) },
	"threebody":  func() stepper { return new(threebody.Threebody) },
	"walk":       func() stepper { return new(walk.Walk) },
}

// lost are the teaching bugs. Each function says, of a sample after max_steps, whether it is one that the
// bug keeps from finishing; all of those do not finish, and all others do. A kernel that is not here
// finishes every sample.
var lost = map[string]func(stepper) bool{
	"bugequal":  func(s stepper) bool { b := s.(*bugequal.Bugequal); return b.T > b.TEnd },
	"bugmargin": func(s stepper) bool { b := s.(*bugmargin.Bugmargin); return b.X == 0 || b.X == 1 },
	"bugnan":    func(s stepper) bool { return math.IsNaN(s.(*bugnan.Bugnan).H) },
}

// lostCount is how many of the 200 samples of seed 1 that are, counted once; the test of each kernel says why.
var lostCount = map[string]int{"bugequal": 63, "bugmargin": 44, "bugnan": 199}
