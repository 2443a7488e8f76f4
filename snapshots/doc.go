// Package snapshots reads planes from files and writes the results of a batch to files: .csv, .npy, .npz.
// It knows engine.Planes and ir.Plane, and nothing of sessions, kernels' sources, engines or screens.
//
// # Reading
//
// A [Mapping] says that a plane's values come from a column of a file. [Open] finds the columns, checks
// them against the planes and counts rows, so that a caller knows how many samples there are before it
// allocates anything; [Source.Load] then streams the values into planes. Nothing is guessed: an empty
// cell, a text cell, a fraction for an integer plane are refused with the row and the text.
//
// A unit is taken from the column name's suffix (a_au, i_deg, v_km_s) or from the mapping and converted
// to the field's unit tag (units.go); every conversion is stated as a sentence.
//
// Files are data from strangers: a size that a file claims is compared with the bytes it has before
// anything of that size is allocated.
//
// # Writing
//
// [WriteNPZ] and [WriteCSV] replace a file atomically: a write that fails leaves the old file as it was.
// What they write reads back to the same bits.
//
// Read in this order: mapping.go, source.go, csv.go, npyheader.go, npy.go, npz.go, value.go, units.go, write.go, atomic.go.
package snapshots
