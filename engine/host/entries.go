package host

import "github.com/eaglet-workbench/eaglet/engine"

// EntryReports says what the back end made of each entry. On the host both are the same code, which
// differs in when a worker looks for new samples; a launch asks for all the lanes that a worker has.
func (b *bound) EntryReports() []engine.EntryReport {
	reports := make([]engine.EntryReport, 0, 2)
	for _, entry := range []string{"fused", "persistent"} {
		r := b.code.report()
		r.Entry, r.Demand = entry, r.Lanes
		reports = append(reports, r)
	}
	return reports
}
